import type { JsonObject } from "../core/canonical-json.ts";
import type { Result } from "../core/result.ts";
import { ok } from "../core/result.ts";
import { type Instant, instant } from "../core/time.ts";
import type { OcpAttempt, OcpCost, OcpDocument } from "../formats/ocp/index.ts";
import { inOrder } from "./keep-late.ts";
import { latestTime } from "./latest-time.ts";
import { settleAttempt, whileOpen } from "./run-attempts.ts";
import { outcomeOf, spendOf } from "./run-row.ts";

/** What the logs say that an attempt spent. */
export interface FoundCost {
  readonly cost?: OcpCost;
  /** The agent session that it was found in, when the attempt did not name one. */
  readonly session?: string;
  readonly model?: string;
}

/**
 * Closes a run: attempts that never ended are settled without a word on their success, costs that were found are filled
 * in, and the run ends with its latest attempt, event or signal. A cost that was recorded already stays.
 */
export function finishDocument(
  document: OcpDocument,
  costs: ReadonlyMap<string, FoundCost>,
  now: Instant,
): Result<OcpDocument> {
  let current = whileOpen(document);
  for (const { id, outcome, started_at } of document.attempts ?? []) {
    if (!current.ok) return current;
    if (outcome !== undefined) continue;
    const end = Date.parse(started_at ?? now) > Date.parse(now) ? (started_at ?? now) : now;
    current = settleAttempt(current.value, id, "settled_unverified", end);
  }
  if (!current.ok) return current;
  const attempts = (current.value.attempts ?? []).map((one) => priced(one, costs.get(one.id)));
  const endedAt = endOf(current.value, now);
  const closed = { ...current.value, attempts, run: { ...current.value.run, ended_at: endedAt } };
  const detail = `${outcomeOf(closed)}; ${attempts.length} attempts, ${spendOf(closed).text}`;
  return ok({
    ...closed,
    events: inOrder([...(closed.events ?? []), { at: endedAt, type: "run_finished", detail }]),
  });
}

function endOf(document: OcpDocument, now: Instant): Instant {
  const hasEnds = (document.attempts ?? []).length > 0 || (document.run.signals ?? []).length > 0;
  const latest = hasEnds ? latestTime(document) : undefined;
  return latest === undefined ? now : instant(Date.parse(latest));
}

function priced(attempt: OcpAttempt, found: FoundCost | undefined): OcpAttempt {
  if (found === undefined) return attempt;
  const { cost, session, model } = found;
  return {
    ...attempt,
    ...(cost !== undefined && attempt.cost === undefined && { cost }),
    ...(session !== undefined && attempt.session === undefined && { session }),
    ...(model !== undefined &&
      attempt.model === undefined && { model: { raw: model, id: model, tier: "verified" } }),
  };
}

/** How sure it is that a log is an attempt's: in an extension of the cost. */
export function matchExt(tier: "verified" | "heuristic", shared: readonly string[]): JsonObject {
  return {
    "dev.loopwright.match": { tier, ...(shared.length > 1 && { shared_with: shared }) },
  };
}
