import { parseId } from "../core/ids.ts";
import { addCost, type CostBasis, type CostSum, formatMicroUsd, NO_COST } from "../core/money.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { HOUR_MS, instant } from "../core/time.ts";
import type { OcpAttempt, OcpDocument, OcpSignal } from "../formats/ocp/index.ts";
import type { RunRow } from "../ports/store.ts";

/** What a run came to under its own acceptance rule. */
export type RunOutcome = "accepted" | "rejected" | "unknown";

/**
 * The columns that lists of runs filter and sort by. The cost is the known part; attempts with an unknown one
 * are counted, not priced at zero. Problems: `bad-id` when the run's id is not one of ours, `ocp-invalid`
 * when it says no time.
 */
export function runRow(document: OcpDocument): Result<RunRow> {
  const { run } = document;
  const id = parseId("run", run.id);
  if (id === undefined) return fail("bad-id", `'${run.id}' is not the id of a run`);
  const startedMs = Date.parse(run.started_at ?? document.producer.emitted_at ?? "");
  if (Number.isNaN(startedMs))
    return fail("ocp-invalid", "the run says no time", { at: "$['run']['started_at']" });
  const endedMs = Date.parse(run.ended_at ?? "");
  const session = parseId("session", sessionText(document) ?? "");
  const spend = spendOf(document);
  return ok({
    run: id,
    ...(session !== undefined && { session }),
    title: run.title ?? run.id,
    startedAt: instant(startedMs),
    ...(!Number.isNaN(endedMs) && { endedAt: instant(endedMs) }),
    outcome: outcomeOf(document),
    ...(run.configuration?.id !== undefined && { configuration: run.configuration.id }),
    ...(run.task?.repo !== undefined && { repo: run.task.repo }),
    ...(run.task?.type !== undefined && { taskType: run.task.type }),
    costMicroUsd: spend.sum.microUsd,
    ...(spend.sum.basis !== undefined && { costBasis: spend.sum.basis }),
    unknownCosts: spend.sum.unknownParts,
    attempts: agentAttempts(document).length,
  });
}

/**
 * Accepted when every required verdict is good at last, the score reaches its target, and no excluding event
 * came within the window; rejected when one of them says no; unknown before the end or while one is missing.
 */
export function outcomeOf(document: OcpDocument): RunOutcome {
  const { run } = document;
  const rule = run.acceptance_rule;
  if (rule === undefined || run.ended_at === undefined) return "unknown";
  const signals = run.signals ?? [];
  const answers = (rule.requires ?? []).map((name) => verdictOf(lastOf(signals, "verdict", name)));
  if (rule.score !== undefined && rule.score !== null) {
    const { name, target, better } = rule.score;
    const score = lastOf(signals, "score", name)?.value;
    const isReached = typeof score === "number" && (better === "higher" ? score >= target : score <= target);
    answers.push(typeof score !== "number" ? "unknown" : isReached ? "accepted" : "rejected");
  }
  if (answers.includes("rejected") || isUndone(document)) return "rejected";
  return answers.length > 0 && answers.every((answer) => answer === "accepted") ? "accepted" : "unknown";
}

function lastOf(signals: readonly OcpSignal[], kind: OcpSignal["kind"], name: string): OcpSignal | undefined {
  return signals
    .filter((signal) => signal.kind === kind && signal.name === name)
    .reduce<OcpSignal | undefined>(
      (last, one) =>
        last === undefined || Date.parse(one.observed_at) >= Date.parse(last.observed_at) ? one : last,
      undefined,
    );
}

function verdictOf(signal: OcpSignal | undefined): RunOutcome {
  if (signal?.value === "pass" || signal?.value === "accept") return "accepted";
  return signal?.value === "fail" || signal?.value === "reject" ? "rejected" : "unknown";
}

function isUndone({ run }: OcpDocument): boolean {
  const excluded = run.acceptance_rule?.excludes_events ?? ["revert", "incident"];
  const windowMs = (run.acceptance_rule?.window_days ?? 14) * 24 * HOUR_MS;
  const endedMs = Date.parse(run.ended_at ?? "");
  return (run.signals ?? []).some(
    ({ kind, name, observed_at }) =>
      kind === "event" && excluded.includes(name) && Date.parse(observed_at) - endedMs <= windowMs,
  );
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

/** A mechanical gate spends no model's tokens. */
function agentAttempts({ attempts }: OcpDocument): readonly OcpAttempt[] {
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
