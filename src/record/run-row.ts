import { parseId } from "../core/ids.ts";
import { addCost, type CostBasis, type CostSum, formatMicroUsd, NO_COST } from "../core/money.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpAttempt, OcpDocument } from "../formats/ocp/index.ts";
import type { RunRow } from "../ports/store.ts";
import { judge } from "./judge.ts";

/** What a run came to under its own acceptance rule. */
export type RunOutcome = "accepted" | "rejected" | "unknown";

/**
 * The columns that lists of runs filter and sort by. The cost is the known part; attempts with an unknown one
 * are counted, not priced at zero. Problem: `ocp-invalid` when the run says no time.
 */
export function runRow(document: OcpDocument, origin: RunRow["origin"] = "recorded"): Result<RunRow> {
  const { run } = document;
  const startedMs = Date.parse(run.started_at ?? document.producer.emitted_at ?? "");
  if (Number.isNaN(startedMs))
    return fail("ocp-invalid", "the run says no time", { at: "$['run']['started_at']" });
  const endedMs = Date.parse(run.ended_at ?? "");
  const session = parseId("session", sessionText(document) ?? "");
  const spend = spendOf(document);
  const source = run.configuration?.source;
  return ok({
    run: run.id,
    ...(session !== undefined && { session }),
    title: run.title ?? run.task?.title ?? run.id,
    state: run.ended_at === undefined ? "open" : "finished",
    origin,
    startedAt: instant(startedMs),
    ...(!Number.isNaN(endedMs) && { endedAt: instant(endedMs) }),
    outcome: outcomeOf(document),
    ...(run.configuration?.id !== undefined && { configuration: run.configuration.id }),
    ...(source !== undefined && { source }),
    ...taskColumns(document),
    ...(run.slate !== undefined && { slate: run.slate.id }),
    costMicroUsd: spend.sum.microUsd,
    ...(spend.sum.basis !== undefined && { costBasis: spend.sum.basis }),
    unknownCosts: spend.sum.unknownParts,
    attempts: agentAttempts(document).length,
  });
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
