import { assertNever, type Problem } from "../core/result.ts";
import type { ProcessEnd, ProcessOutcome } from "../ports/process.ts";
import type { AttemptEnd, FailureKind, ProviderSpec, StreamReader, UsageReport } from "../ports/provider.ts";
import type { Assignment } from "./assignment.ts";
import type { ArtifactRef, AttemptEnded, PricedUsage } from "./events.ts";
import { refusedIn } from "./guarded.ts";
import type { RunPorts } from "./ports.ts";
import type { SessionRun } from "./session-run.ts";

/** The facts of an attempt that never had a process, or whose process left nothing to read. */
export function endedWithoutProcess(assignment: Pick<Assignment, "attempt">, problem: Problem): AttemptEnded {
  return {
    attempt: assignment.attempt,
    end: { reason: "failed", kind: kindOf(problem), detail: problem.message },
    ...NOTHING,
    usage: { kind: "known", provenance: "measured", models: [] },
  };
}

/** An attempt that was called off before any worker began it. */
export function canceledAttempt(attempt: AttemptEnded["attempt"]): AttemptEnded {
  return {
    attempt,
    end: { reason: "canceled" },
    ...NOTHING,
    usage: { kind: "known", provenance: "measured", models: [] },
  };
}

const NOTHING = {
  exitCode: null,
  durationMs: 0,
  after: null,
  changes: [],
  facts: null,
  agentSession: null,
  model: null,
  summary: "",
  priced: [],
  cumulative: [],
  containment: null,
  survivorsKilled: 0,
  escaped: 0,
  artifacts: [],
  seal: null,
} as const;

function kindOf(problem: Problem): FailureKind {
  if (problem.code === "provider-missing" || problem.code === "command-not-found") return "missing";
  return problem.code === "spawn-failed" ? "transient" : "configuration";
}

/**
 * The end of an attempt whose process vanished: its spend is read from the agent's log, or is unknown. What it changed
 * counts as its doing, since the attempt that continues on it finds it there.
 */
export async function lostAttempt(
  run: SessionRun,
  assignment: Assignment,
  agentSession: string | undefined,
  startedAt: string | undefined,
): Promise<AttemptEnded> {
  const tree = await run.workspace.snapshot(assignment.workDir);
  const after = tree.ok ? tree.value : null;
  const usage =
    startedAt === undefined
      ? ({ kind: "known", provenance: "measured", models: [] } as const)
      : await loggedUsage(run.ports, placeOf(assignment), agentSession, startedAt);
  const diff =
    after === null || startedAt === undefined
      ? undefined
      : await run.workspace.diff(assignment.before, after);
  return {
    attempt: assignment.attempt,
    end: { reason: "lost" },
    ...NOTHING,
    after,
    changes: diff?.ok === true ? diff.value : [],
    agentSession: agentSession ?? null,
    usage,
    priced: pricedUsage(run.ports, usage, run.now()),
    artifacts: after === null ? [] : [{ name: "salvage", kind: "salvage", content: after }],
  };
}

export async function reportOf(
  run: SessionRun,
  assignment: Assignment,
  reader: StreamReader,
  trace: { readonly outcome: ProcessOutcome; readonly dir: string },
): Promise<AttemptEnded> {
  const { ports } = run;
  const { outcome } = trace;
  const finished = reader.finish(outcome.end, ports.clock.now());
  const [tree, facts, seal, refused] = await Promise.all([
    run.workspace.snapshot(assignment.workDir),
    run.workspace.facts(),
    ports.files.seal(trace.dir),
    refusedIn(ports.files, trace.dir),
  ]);
  const after = tree.ok ? tree.value : null;
  const diff = after === null ? undefined : await run.workspace.diff(assignment.before, after);
  const end: AttemptEnd = tree.ok
    ? finished.end
    : {
        reason: "failed",
        kind: "agent-error",
        detail: `the working folder cannot be read: ${tree.problem.message}`,
      };
  const startedAt = new Date(ports.clock.now() - outcome.durationMs).toISOString();
  const place = placeOf(assignment);
  const usage = await bestUsage(ports, place, finished.usage, finished.agentSession, startedAt);
  return {
    attempt: assignment.attempt,
    end,
    exitCode: exitCodeOf(outcome.end),
    durationMs: Math.round(outcome.durationMs),
    after,
    changes: diff?.ok === true ? diff.value : [],
    facts: facts.ok ? facts.value : null,
    agentSession: finished.agentSession ?? null,
    model: finished.model ?? null,
    summary: finished.summary,
    usage,
    priced: pricedUsage(run.ports, usage, run.now()),
    cumulative: finished.cumulative ?? [],
    containment: outcome.containment,
    survivorsKilled: outcome.survivorsKilled,
    escaped: outcome.escaped,
    artifacts: artifactsOf(after),
    seal: seal.ok ? seal.value : null,
    ...(refused.length > 0 && { refusedCommands: refused }),
  };
}

function artifactsOf(after: string | null): readonly ArtifactRef[] {
  return after === null ? [] : [{ name: "diff", kind: "diff", content: after }];
}

function exitCodeOf(end: ProcessEnd): number | null {
  switch (end.kind) {
    case "exited":
      return end.exitCode;
    case "signalled":
    case "timed-out":
    case "stalled":
    case "canceled":
      return null;
    default:
      return assertNever(end);
  }
}

/**
 * The provider's own output first; where it says nothing, the agent's log. Codex's output shows neither service tier
 * nor long contexts nor spawned threads, so there the log comes first.
 */
export async function bestUsage(
  ports: UsageSources,
  place: AgentPlace,
  stated: UsageReport,
  agentSession: string | undefined,
  startedAt: string,
): Promise<UsageReport> {
  const { kind } = place;
  if (kind === "command" || kind === "acp" || (kind === "claude-code" && stated.kind === "known"))
    return stated;
  const logged = await loggedUsage(ports, place, agentSession, startedAt);
  return logged.kind === "known" ? logged : stated;
}

type UsageSources = Pick<RunPorts, "usageReader" | "prices">;

interface AgentPlace {
  readonly kind: ProviderSpec["kind"];
  readonly cwd: string;
}

function placeOf({ provider, workDir }: Assignment): AgentPlace {
  return { kind: provider.kind, cwd: workDir };
}

async function loggedUsage(
  ports: UsageSources,
  { kind, cwd }: AgentPlace,
  agentSession: string | undefined,
  startedAt: string,
): Promise<UsageReport> {
  if (kind === "command" || kind === "acp" || agentSession === undefined)
    return { kind: "unknown", why: "no usage was reported" };
  return ports.usageReader.ofSession({ agent: kind, session: agentSession, cwd, from: startedAt });
}

export function pricedUsage(ports: UsageSources, usage: UsageReport, at: string): readonly PricedUsage[] {
  if (usage.kind === "unknown") return [];
  return usage.models.map((part) => ({
    model: part.model,
    usage: part.usage,
    cost:
      part.cost ??
      (part.statedMicroUsd === undefined
        ? ports.prices.price(part.model, part.usage, at, usage.provenance)
        : { kind: "known", microUsd: part.statedMicroUsd, basis: usage.provenance }),
  }));
}
