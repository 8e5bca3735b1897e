import { fail, ok, type Result } from "../core/result.ts";
import { AGENT_COMMANDS, type AgentCommand } from "../formats/agent-commands.ts";
import { isDriven, type Loop, type LoopProvider } from "../formats/loop/index.ts";
import { GATE_LEVELS } from "../ports/check-rooms.ts";
import type { ProviderSpec } from "../ports/provider.ts";
import { CHECK_TIMEOUT_MS, DEFAULT_LIMITS } from "../run/defaults.ts";
import { planLoop, toldLimits } from "../run/plan-loop.ts";
import type { RunPorts } from "../run/ports.ts";
import type { Limits, SessionMemory, SessionSpec } from "../run/spec.ts";
import type { StartRequest } from "../run/start.ts";
import type { Check } from "../verify/types.ts";
import { readFlags } from "./flag-values.ts";
import { limitsOf } from "./go-request.ts";
import { answersOf, outcomesOf, retriesOf } from "./loop-recovery.ts";
import { approvalsOf, entryOf, rollbacksOf, runnableCheck } from "./loop-rules.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** How many pieces may run at a time. */
export function concurrencyOf(loop: Loop): Loop["concurrency"] {
  return loop.features.parallelExecution ? loop.concurrency : { mode: "sequential" };
}

/** A loop that may start, how many workers its schedule can use, and what is carried between its runs. */
interface LoopToRun {
  readonly loop: Loop;
  readonly workers: number;
  readonly memory: SessionMemory;
  readonly source: NonNullable<SessionSpec["source"]>;
}

/** From a loop file to what the engine freezes. */
export function loopRequest(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  { loop, workers, memory, source }: LoopToRun,
): Result<StartRequest> {
  const flags = readFlags(input);
  const limits = limitsOf(input, fileLimits(loop, workers));
  const pieces = planLoop(loop);
  if (!pieces.ok) return pieces;
  const asked = new Set(
    pieces.value.flatMap((piece) =>
      piece.kind === "agent" ? [piece.provider, ...(piece.fallbacks ?? []), ...(piece.stronger ?? [])] : [],
    ),
  );
  const providers = loop.providers.filter(({ id }) => asked.has(id)).map(specOf);
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
  const rollbacks = rollbacksOf(loop);
  const entry = entryOf(loop);
  const approvals = approvalsOf(loop);
  const level = GATE_LEVELS.find((candidate) => candidate === flags.text("level"));
  return ok({
    dir: context.cwd,
    checks: [...loop.checks.flatMap(runnableCheck), ...rollbacks.checks, ...forbiddenPathsCheck(loop)],
    ...(entry === undefined ? {} : { entry }),
    ...(approvals.checks.length > 0 && { approvalChecks: approvals.checks }),
    ...(level === undefined ? {} : { level }),
    // Checks that pass already do not end a loop whose judges have not spoken.
    guard: pieces.value.some(({ kind }) => kind === "verdict"),
    flakyRetries: 0,
    protection: { protect: [], unprotect: [], allowTests: false },
    spec: {
      kind: "loop",
      title: loop.name,
      goals: goalsOf(loop),
      sessionWorktree: false,
      providers,
      pieces: pieces.value,
      ...(rollbacks.rules.length > 0 && { rollbacks: rollbacks.rules }),
      limits,
      approvals: approvals.rules,
      delivery: { kind: "leave" },
      allowUnknownCost: flags.is("allowUnknownCost"),
      ...(flags.text("threat") === "sandboxed" && { threat: "sandboxed" }),
      ifNeeded: true,
      rules: [
        ...loop.background.map(({ key, value }) => `${key}: ${value}`),
        ...loop.limits.rules,
        ...toldLimits(loop.limits),
      ],
      forbiddenPaths: loop.limits.forbiddenPaths,
      outcomes: outcomesOf(loop),
      summaries: { rounds: loop.memory.carrySummaries, maxCharacters: loop.memory.maxSummaryChars },
      ...(loop.stop.perturbAfterIterations !== undefined && {
        perturbAfter: loop.stop.perturbAfterIterations,
      }),
      memory,
      source,
      ...(loop.evolution.isEnabled && loop.features.selfEvolution && { maySuggest: true }),
      ...(loop.alerts.length > 0 && { alerts: loop.alerts }),
    },
  });
}

function goalsOf({ goals, checks }: Loop): StartRequest["spec"]["goals"] {
  return goals.map(({ name, description }) => {
    const judged = checks
      .filter(({ target, blocking, detector }) => target === name && blocking && detector.type === "judge")
      .map((check) => `${check.name}: ${check.statement}`);
    return { name, description, ...(judged.length > 0 && { judged }) };
  });
}

function fileLimits(loop: Loop, concurrency: number): Limits {
  const { stop } = loop;
  return {
    ...DEFAULT_LIMITS,
    ...retriesOf(loop),
    ...answersOf(loop),
    concurrency,
    maxRevisions: stop.maxRevisionsPerPiece,
    maxIterations: stop.maxIterations,
    noProgressIterations: stop.noProgressIterations,
    ...(stop.maxWallClockMs === undefined ? {} : { maxRunningMs: stop.maxWallClockMs }),
    ...(stop.maxTokens === undefined ? {} : { maxTokens: stop.maxTokens }),
    ...(stop.maxCostMicroUsd === undefined ? {} : { maxMicroUsd: stop.maxCostMicroUsd }),
  };
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

/** Kinds whose programs we know how to give a task, where the file does not say. */
const KNOWN_KINDS: Readonly<Partial<Record<LoopProvider["kind"], AgentCommand>>> = {
  gemini: AGENT_COMMANDS.gemini,
  grok_cli: AGENT_COMMANDS.grok,
  grok_build: AGENT_COMMANDS.grok,
  hermes: AGENT_COMMANDS.hermes,
  ollama: AGENT_COMMANDS.ollama,
};

function specOf(provider: LoopProvider): ProviderSpec {
  const { id, command, args, model, effort, requiresEnv } = provider;
  const shared = { id, env: requiresEnv, ...(model === undefined ? {} : { model }) };
  if (isDriven(provider)) {
    const kind = provider.kind === "codex" ? "codex" : "claude-code";
    return { kind, ...shared, command, args, ...(effort === undefined ? {} : { effort }) };
  }
  if (provider.kind === "acp") return { kind: "acp", ...shared, argv: [command, ...args] };
  const known = args.length === 0 && !provider.promptOnStdin ? KNOWN_KINDS[provider.kind] : undefined;
  const { args: words, ...how } = known ?? {
    args,
    promptOnStdin: provider.promptOnStdin || !args.some((word) => word.includes("{prompt}")),
  };
  return {
    kind: "command",
    ...shared,
    argv: [command, ...words],
    ...how,
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
