import type { TokenUsage } from "../../core/tokens.ts";
import type { FinishedStream, SpentBefore } from "../../ports/agent-stream.ts";
import type { ModelUsage, UsageReport } from "../../ports/provider.ts";
import { equalUsage, isAtLeast, isNothing, UNKNOWN_MODEL } from "../call.ts";
import { growth, hasGrown, sumUsage } from "../cumulative.ts";

/** The last version seen to state the spend of one process; some later one began to add up over the session. */
const LAST_PER_PROCESS = [2, 1, 197] as const;

/**
 * What one run spent, from counters that are cumulative over the session with some versions and cover the process
 * alone with others. Which of the two, is decided by comparison with `usage`, which always covers the process
 * (though not its subagents); the version decides only when both fit.
 */
export function attributable(finished: FinishedStream, before: SpentBefore = []): UsageReport {
  const { perModel, usage } = finished;
  if (!finished.sawResult) return { kind: "unknown", why: "the agent ended without its result line" };
  if (perModel.length === 0) return fromUsageAlone(finished);
  if (before !== "unknown") return measured(ownShare(finished, before));
  if (usage !== undefined && equalUsage(sumUsage(perModel), usage)) return measured(perModel);
  return {
    kind: "unknown",
    why: "the totals include earlier runs of the session, and what those spent is not known",
  };
}

function ownShare(finished: FinishedStream, before: readonly ModelUsage[]): ModelUsage[] {
  const { perModel, usage } = finished;
  const own = growth(perModel, before);
  if (before.length === 0) return own;
  if (!hasGrown(perModel, before)) return growth(perModel, []);
  return isCumulative(own, perModel, usage, finished.version) ? own : growth(perModel, []);
}

function isCumulative(
  own: readonly ModelUsage[],
  stated: readonly ModelUsage[],
  usage: TokenUsage | undefined,
  version: string | undefined,
): boolean {
  if (usage !== undefined && !isNothing(usage)) {
    const grown = sumUsage(own);
    if (equalUsage(grown, usage)) return true;
    if (equalUsage(sumUsage(stated), usage) || !isAtLeast(grown, usage)) return false;
  }
  return !isPerProcess(version);
}

function isPerProcess(version: string | undefined): boolean {
  const parts = version?.split(".").map(Number) ?? [];
  for (const [i, last] of LAST_PER_PROCESS.entries()) {
    const part = parts[i];
    if (part === undefined || Number.isNaN(part)) return false;
    if (part !== last) return part < last;
  }
  return true;
}

/** Early versions, and runs that ended before the first call. */
function fromUsageAlone(finished: FinishedStream): UsageReport {
  const { usage, model } = finished;
  if (usage === undefined) return { kind: "unknown", why: "the result line states no usage" };
  if (isNothing(usage)) return measured([]);
  return measured([{ model: model ?? UNKNOWN_MODEL, usage }]);
}

function measured(models: readonly ModelUsage[]): UsageReport {
  return { kind: "known", provenance: "measured", models };
}
