import { parseId } from "../core/ids.ts";
import { addCost, type CostBasis, type CostSum, formatMicroUsd, NO_COST } from "../core/money.ts";
import { type Instant, instant } from "../core/time.ts";
import type { OcpAttempt, OcpDocument } from "../formats/ocp/index.ts";
import type { RunRow } from "../ports/store.ts";
import { judge } from "./judge.ts";
import { judgeCost } from "./judge-cost.ts";

/** What a run came to under its own acceptance rule. */
export type RunOutcome = "accepted" | "rejected" | "unknown";

/** What the store knows of a run and its document may not say. */
export interface RowFacts {
  readonly origin: RunRow["origin"];
  /** When it came in: stands for the start of a run whose document says no time at all. */
  readonly seenAt: Instant;
}

/**
 * The columns that lists of runs filter and sort by. The cost is the known part; attempts with an unknown one
 * are counted, not priced at zero. It has what asking judges cost, which no attempt has: it was spent, and taught nothing
 * of what the run's way of working costs.
 */
export function runRow(document: OcpDocument, facts: RowFacts): RunRow {
  const { run } = document;
  const endedMs = Date.parse(run.ended_at ?? "");
  const session = parseId("session", sessionText(document) ?? "");
  const spend = wholeSpend(document);
  const source = run.configuration?.source;
  return {
    run: run.id,
    ...(session !== undefined && { session }),
    title: run.title ?? run.task?.title ?? run.id,
    state: run.ended_at === undefined ? "open" : "finished",
    origin: facts.origin,
    startedAt: startOf(document) ?? facts.seenAt,
    ...(!Number.isNaN(endedMs) && { endedAt: instant(endedMs) }),
    outcome: outcomeOf(document),
    ...(run.configuration?.id !== undefined && { configuration: run.configuration.id }),
    ...(source !== undefined && { source }),
    ...taskColumns(document),
    ...(run.slate !== undefined && { slate: run.slate.id }),
    costMicroUsd: spend.microUsd,
    ...(spend.basis !== undefined && { costBasis: spend.basis }),
    unknownCosts: spend.unknownParts,
    attempts: agentAttempts(document).length,
  };
}

/** As the run says, else the earliest moment that it speaks of. */
function startOf({ run, attempts, events, producer }: OcpDocument): Instant | undefined {
  const stated = Date.parse(run.started_at ?? "");
  if (!Number.isNaN(stated)) return instant(stated);
  const times = [
    ...(attempts ?? []).map(({ started_at }) => started_at),
    ...(events ?? []).map(({ at }) => at),
    ...(run.signals ?? []).map(({ observed_at }) => observed_at),
    run.ended_at,
    producer.emitted_at,
  ].map((time) => Date.parse(time ?? ""));
  const known = times.filter((ms) => !Number.isNaN(ms));
  return known.length === 0 ? undefined : instant(Math.min(...known));
}

function taskColumns({ run: { task, slate } }: OcpDocument): Partial<RunRow> {
  const baseCommit = (task?.base_commit ?? slate?.base_commit)?.toLowerCase();
  return {
    ...(task?.id !== undefined && { task: task.id }),
    ...(task?.type !== undefined && { taskType: task.type }),
    ...(task?.repo !== undefined && { repo: task.repo }),
    ...(baseCommit !== undefined && { baseCommit }),
  };
}

/** The word for a run's judgement under its own rule. */
export function outcomeOf(document: OcpDocument): RunOutcome {
  const { z } = judge(document);
  return z === null ? "unknown" : z === 1 ? "accepted" : "rejected";
}

/** What the run's agents spent, and the same in words. */
export function spendOf(document: OcpDocument): { readonly sum: CostSum; readonly text: string } {
  const sum = agentAttempts(document).reduce<CostSum>((at, { cost }) => {
    if (cost?.usd === undefined) return addCost(at, { kind: "unknown", why: "no-usage" });
    return addCost(at, { kind: "known", microUsd: Math.round(cost.usd * 1e6), basis: basisOf(cost) });
  }, NO_COST);
  const known = sum.basis === undefined ? [] : [`${formatMicroUsd(sum.microUsd).slice(1)} usd`];
  const unknown = sum.unknownParts === 0 ? [] : [`${sum.unknownParts} of unknown cost`];
  return { sum, text: [...known, ...unknown].join(" and ") || "no cost" };
}

/** What the agents spent, and asking judges about their work. */
function wholeSpend(document: OcpDocument): CostSum {
  const [{ sum }, judges] = [spendOf(document), judgeCost(document)];
  const { microUsd, basis } = judges;
  const known = basis === undefined ? sum : addCost(sum, { kind: "known", microUsd, basis });
  return { ...known, unknownParts: known.unknownParts + judges.unknownParts };
}

/** A mechanical gate spends no model's tokens; neither does a check without model and usage. */
export function agentAttempts({ attempts }: OcpDocument): readonly OcpAttempt[] {
  return (attempts ?? []).filter(({ harness }) => harness !== "command");
}

/** The document's own word does not tell a measurement from a log; ours beside it does. */
function basisOf(cost: OcpAttempt["cost"] & object): CostBasis {
  const ours = cost.ext?.["dev.loopwright.cost"];
  const isLogged = typeof ours === "object" && ours !== null && "basis" in ours && ours.basis === "logged";
  return isLogged || cost.basis !== "measured" ? "logged" : "measured";
}

function sessionText({ run }: OcpDocument): string | undefined {
  const session = run.ext?.["dev.loopwright.session"];
  const id = typeof session === "object" && session !== null && "id" in session ? session.id : undefined;
  return typeof id === "string" ? id : undefined;
}
