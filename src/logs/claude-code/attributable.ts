import type { TokenUsage } from "../../core/tokens.ts";
import type { FinishedStream, SpentBefore } from "../../ports/agent-stream.ts";
import type { ModelUsage, UsageReport } from "../../ports/provider.ts";
import { equalUsage, isAtLeast, isNothing, UNKNOWN_MODEL } from "../call.ts";
import { growth, hasGrown, sumUsage } from "../cumulative.ts";
import { optional } from "../fields.ts";

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
  if (before !== "unknown") return measured(withLifetimes(ownShare(finished, before), usage));
  if (usage !== undefined && areAlike(sumUsage(perModel), usage))
    return measured(withLifetimes(perModel, usage));
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
    if (areAlike(grown, usage)) return true;
    if (areAlike(sumUsage(stated), usage) || !isAtLeast(coarse(grown), coarse(usage))) return false;
  }
  return !isPerProcess(version);
}

function areAlike(a: TokenUsage, b: TokenUsage): boolean {
  return equalUsage(coarse(a), coarse(b));
}

/** What the totals of every version tell: some split neither writes by lifetime nor output by reasoning. */
function coarse({ inputTokens, cacheReadTokens, outputTokens, ...rest }: TokenUsage): TokenUsage {
  return {
    ...optional("inputTokens", inputTokens),
    cacheWrite5mTokens: writtenTokens(rest),
    ...optional("cacheReadTokens", cacheReadTokens),
    ...optional("outputTokens", outputTokens),
  };
}

function writtenTokens(usage: Pick<TokenUsage, "cacheWrite5mTokens" | "cacheWrite1hTokens">): number {
  return (usage.cacheWrite5mTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
}

/** Where totals do not split cache writes by lifetime, and only one model wrote, the process's own usage tells. */
function withLifetimes(models: readonly ModelUsage[], usage: TokenUsage | undefined): readonly ModelUsage[] {
  const writers = models.filter((entry) => writtenTokens(entry.usage) > 0);
  const writer = writers.length === 1 ? writers[0] : undefined;
  if (writer === undefined || usage?.cacheWrite1hTokens === undefined) return models;
  const isSplit = writer.usage.cacheWrite1hTokens !== undefined;
  if (isSplit || writtenTokens(writer.usage) !== writtenTokens(usage)) return models;
  const { cacheWrite5mTokens, cacheWrite1hTokens } = usage;
  const split = { ...optional("cacheWrite5mTokens", cacheWrite5mTokens), cacheWrite1hTokens };
  return models.map((entry) =>
    entry === writer ? { ...entry, usage: { ...entry.usage, ...split } } : entry,
  );
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
