import { fail, InvariantError, ok, type Result } from "../core/result.ts";
import {
  candidatesOf,
  isDriven,
  type Loop,
  type LoopCheck,
  type LoopLimits,
  type LoopPiece,
  type LoopProvider,
} from "../formats/loop/index.ts";
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
  const concurrency = loop.features.parallelExecution ? loop.concurrency : { mode: "sequential" as const };
  const planned = planGraph(loop.pieces, concurrency);
  if (!planned.ok) return planned;
  const limits = limitsOf(input, fileLimits(loop, planned.value.workers));
  const pieces: AgentPiece[] = [];
  for (const piece of loop.pieces) {
    const [provider] = candidatesOf(loop, piece);
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
    checks: [...loop.checks.map(checkOf), ...forbiddenPathsCheck(loop)],
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
      rules: [
        ...loop.background.map(({ key, value }) => `${key}: ${value}`),
        ...loop.limits.rules,
        ...toldLimits(loop.limits),
      ],
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

/** Limits that no code enforces here: agents are told, and `loop start` says that this is all. */
function toldLimits({ forbiddenCommands, humanCheckpoint }: LoopLimits): readonly string[] {
  return [
    ...(forbiddenCommands.length === 0 ? [] : [`Never run: ${forbiddenCommands.join("; ")}`]),
    ...(humanCheckpoint.length === 0
      ? []
      : [`A person decides about these, so leave them undone: ${humanCheckpoint.join("; ")}`]),
  ];
}

/** What must stay as it is holds back every goal, whoever changed it. */
function forbiddenPathsCheck({ limits, checks }: Loop): readonly Check[] {
  const deny = limits.forbiddenPaths.map((path) => (path.endsWith("/") ? `${path}**` : path));
  if (deny.length === 0) return [];
  const taken = checks.some(({ name }) => name === "forbidden-paths");
  return [
    {
      name: taken ? "forbidden paths" : "forbidden-paths",
      target: "overall",
      statement: "No forbidden path was changed.",
      blocking: true,
      timeoutMs: CHECK_TIMEOUT_MS,
      detector: { type: "diff", allow: [], deny },
    },
  ];
}

function agentPiece(loop: Loop, piece: LoopPiece, provider: LoopProvider): AgentPiece {
  const caps = [loop.pieceLimits.get(piece.id)?.maxMs ?? loop.limits.maxMs, provider.timeoutMs].filter(
    (cap): cap is number => cap !== undefined,
  );
  return {
    kind: "agent",
    id: piece.id,
    role: piece.role,
    instruction: [piece.instruction, ...ownRules(loop, piece)].join("\n"),
    dependsOn: piece.dependsOn,
    goals: piece.goals,
    provider: provider.id,
    tier: piece.tier,
    isolation: isolationOf(piece),
    permission: piece.role === "judge" ? "read" : "edit",
    join: loop.join,
    ...(caps.length === 0 ? {} : { wallMs: Math.min(...caps) }),
  };
}

function ownRules(loop: Loop, piece: LoopPiece): readonly string[] {
  const own = loop.pieceLimits.get(piece.id);
  return own === undefined ? [] : [...own.rules, ...toldLimits(own)];
}

function isolationOf({ id, isolation }: LoopPiece): "none" | "worktree" {
  if (isolation.mode !== "container") return isolation.mode;
  throw new InvariantError(`the container of piece "${id}" was not refused`);
}

function specOf(provider: LoopProvider): ProviderSpec {
  const { id, command, args, model, effort, requiresEnv } = provider;
  const shared = { id, env: requiresEnv, ...(model === undefined ? {} : { model }) };
  if (isDriven(provider)) {
    const kind = provider.kind === "codex" ? "codex" : "claude-code";
    return { kind, ...shared, command, args, ...(effort === undefined ? {} : { effort }) };
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

function checkOf(check: LoopCheck): Check {
  const { name, target, statement, blocking, detector, timeoutMs } = check;
  if (detector.type === "judge") throw new InvariantError(`the judge of check "${name}" was not refused`);
  return { name, target, statement, blocking, detector, timeoutMs: timeoutMs ?? CHECK_TIMEOUT_MS };
}
