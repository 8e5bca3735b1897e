import { addUsage, type TokenUsage } from "../core/tokens.ts";
import type { ModelUsage } from "../ports/provider.ts";
import { isAtLeast, isNothing, subtractUsage } from "./call.ts";
import { optional } from "./fields.ts";

/** The sum over models, classes only. */
export function sumUsage(models: readonly ModelUsage[]): TokenUsage {
  return models.reduce<TokenUsage>((sum, entry) => addUsage(sum, entry.usage), {});
}

/** True when no counter of `before` is above what `now` says: what cumulative counters have in common. */
export function hasGrown(now: readonly ModelUsage[], before: readonly ModelUsage[]): boolean {
  return before.every((old) => {
    const entry = now.find((candidate) => candidate.model === old.model);
    return entry === undefined ? isNothing(old.usage) : isAtLeast(entry.usage, old.usage);
  });
}

/** What came since `before`, by model; models that spent nothing are left out. */
export function growth(now: readonly ModelUsage[], before: readonly ModelUsage[]): ModelUsage[] {
  return now
    .map((entry) => {
      const old = before.find((candidate) => candidate.model === entry.model);
      return old === undefined ? entry : less(entry, old);
    })
    .filter((entry) => !isNothing(entry.usage) || (entry.webSearchRequests ?? 0) > 0);
}

function less(now: ModelUsage, before: ModelUsage): ModelUsage {
  const stated =
    now.statedMicroUsd === undefined || before.statedMicroUsd === undefined
      ? undefined
      : Math.max(0, now.statedMicroUsd - before.statedMicroUsd);
  const searches = (now.webSearchRequests ?? 0) - (before.webSearchRequests ?? 0);
  return {
    model: now.model,
    usage: subtractUsage(now.usage, before.usage),
    ...optional("statedMicroUsd", stated),
    ...optional("webSearchRequests", searches > 0 ? searches : undefined),
  };
}
