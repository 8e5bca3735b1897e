import { fail, ok, type Result } from "../core/result.ts";
import type { Loop, LoopPiece, LoopProvider } from "../formats/loop/index.ts";
import { planGraph } from "../graph/index.ts";
import { GATE_LEVELS } from "../ports/check-rooms.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import { CHECK_TIMEOUT_MS, DEFAULT_LIMITS } from "../run/defaults.ts";
import type { RunPorts } from "../run/ports.ts";
import type { AgentPiece, Limits } from "../run/spec.ts";
import type { StartRequest } from "../run/start.ts";
import type { Check } from "../verify/types.ts";
import { readFlags } from "./flag-values.ts";
import { limitsOf } from "./go-request.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** From a loop file to what the engine freezes. */
export function loopRequest(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  loop: Loop,
): Result<StartRequest> {
  const flags = readFlags(input);
  const planned = planGraph(loop.pieces, loop.concurrency);
  if (!planned.ok) return planned;
  const limits = limitsOf(input, fileLimits(loop, planned.value.workers));
  const pieces: AgentPiece[] = [];
  for (const piece of loop.pieces) {
    const provider = providerOf(loop, piece);
    if (provider === undefined) {
      return fail("unknown-provider", `no provider serves the tier ${piece.tier} of piece "${piece.id}"`, {
        hint: "add it to the tiers of a provider, or pin one with `provider:`",
      });
    }
    pieces.push(agentPiece(loop, piece, provider));
  }
  const providers = loop.providers
    .filter((provider) => pieces.some((piece) => piece.provider === provider.id))
    .map(specOf);
  const unpriced = unknownCost(ports, providers);
  if (!unpriced.ok) return unpriced;
  if (limits.maxMicroUsd !== undefined && unpriced.value !== undefined && !flags.is("allowUnknownCost")) {
    return fail(
      "unknown-cost",
      `provider ${unpriced.value} does not report what it costs, so the cost ceiling could never fire`,
      {
        hint: "add --allow-unknown-cost, or cap iterations and time instead",
      },
    );
  }
  const level = GATE_LEVELS.find((candidate) => candidate === flags.text("level"));
  const ids = pieces.map((piece) => piece.id);
  return ok({
    dir: context.cwd,
    checks: loop.checks.map(checkOf),
    ...(level === undefined ? {} : { level }),
    guard: false,
    flakyRetries: 0,
    protection: { protect: [], unprotect: [], allowTests: false },
    spec: {
      kind: "loop",
      title: loop.name,
      goals: loop.goals.map(({ name, description }) => ({ name, description })),
      sessionWorktree: false,
      providers,
      pieces: [
        ...pieces,
        {
          kind: "gate",
          id: ids.includes("gate") ? "goal gate" : "gate",
          dependsOn: ids,
          onFail: { sendBack: ids, rounds: Number.MAX_SAFE_INTEGER },
        },
      ],
      limits,
      approvals: loop.approvals.map(({ id, statement }) => ({ id, statement })),
      delivery: { kind: "leave" },
      allowUnknownCost: flags.is("allowUnknownCost"),
      ifNeeded: true,
      rules: loop.limits.rules,
      forbiddenPaths: loop.limits.forbiddenPaths,
    },
  });
}

function fileLimits(loop: Loop, concurrency: number): Limits {
  const { stop } = loop;
  return {
    ...DEFAULT_LIMITS,
    concurrency,
    maxIterations: stop.maxIterations,
    noProgressIterations: stop.noProgressIterations,
    ...(stop.maxWallClockMs === undefined ? {} : { maxRunningMs: stop.maxWallClockMs }),
    ...(stop.maxTokens === undefined ? {} : { maxTokens: stop.maxTokens }),
    ...(stop.maxCostMicroUsd === undefined ? {} : { maxMicroUsd: stop.maxCostMicroUsd }),
  };
}

/** A pinned provider, else the first of the tier's cascade, else the first that names the tier or none. */
function providerOf(loop: Loop, piece: LoopPiece): LoopProvider | undefined {
  const byId = (id: string | undefined): LoopProvider | undefined =>
    loop.providers.find((provider) => provider.id === id);
  if (piece.provider !== undefined) return byId(piece.provider);
  const cascade = loop.cascade[piece.tier];
  if (cascade !== undefined) return byId(cascade[0]);
  return loop.providers.find(
    (provider) => provider.tiers.length === 0 || provider.tiers.includes(piece.tier),
  );
}

function agentPiece(loop: Loop, piece: LoopPiece, provider: LoopProvider): AgentPiece {
  const caps = [loop.pieceLimits.get(piece.id)?.maxMs ?? loop.limits.maxMs, provider.timeoutMs].filter(
    (cap): cap is number => cap !== undefined,
  );
  return {
    kind: "agent",
    id: piece.id,
    role: piece.role,
    instruction: piece.instruction,
    dependsOn: piece.dependsOn,
    goals: piece.goals,
    provider: provider.id,
    tier: piece.tier,
    isolation: piece.isolation,
    permission: piece.role === "judge" ? "read" : "edit",
    join: loop.join,
    ...(caps.length === 0 ? {} : { wallMs: Math.min(...caps) }),
  };
}

/** A template that places the prompt itself is a command, whatever its kind says. */
function specOf(provider: LoopProvider): ProviderSpec {
  const { id, kind, command, args, model, effort, requiresEnv } = provider;
  const typed = { claude_code: "claude-code", codex: "codex" } as const;
  const name = kind === "claude_code" || kind === "codex" ? typed[kind] : undefined;
  const shared = { id, env: requiresEnv, ...(model === undefined ? {} : { model }) };
  if (name !== undefined && !args.some((word) => word.includes("{prompt}"))) {
    return { kind: name, ...shared, command, args, ...(effort === undefined ? {} : { effort }) };
  }
  return {
    kind: "command",
    ...shared,
    argv: [command, ...args],
    promptOnStdin: provider.promptOnStdin || !args.some((word) => word.includes("{prompt}")),
    ...(provider.usageRegex === undefined ? {} : { usageRegex: provider.usageRegex }),
    ...(provider.usdPer1kTokens === undefined ? {} : { usdPer1kTokens: provider.usdPer1kTokens }),
  };
}

function unknownCost(ports: RunPorts, specs: readonly ProviderSpec[]): Result<string | undefined> {
  for (const spec of specs) {
    const made = ports.providers.make(spec);
    if (!made.ok) return made;
    if (!made.value.reportsCost) return ok(spec.id);
  }
  return ok(undefined);
}

function checkOf(check: Loop["checks"][number]): Check {
  const { name, target, statement, blocking, detector, timeoutMs } = check;
  return { name, target, statement, blocking, detector, timeoutMs: timeoutMs ?? CHECK_TIMEOUT_MS };
}
