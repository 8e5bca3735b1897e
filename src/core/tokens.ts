/**
 * Tokens of one or more model calls by billing class. `inputTokens` is the uncached part only;
 * `reasoningTokens` is a share of `outputTokens`, for information. An absent count is unknown, not zero.
 */
export interface TokenUsage {
  readonly inputTokens?: number;
  readonly cacheWrite5mTokens?: number;
  readonly cacheWrite1hTokens?: number;
  readonly cacheReadTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly requests?: number;
}

export const TOKEN_CLASSES = [
  "inputTokens",
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "cacheReadTokens",
  "outputTokens",
] as const;

/** What makes the counts of one call add up to a number of calls. */
export const ONE_REQUEST: TokenUsage = { requests: 1 };

/** Adds class by class; a class that neither side knows stays absent. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: UsageSum = {};
  addTo(sum, a);
  addTo(sum, b);
  return sum;
}

/** A sum that grows. */
export type UsageSum = { -readonly [K in keyof TokenUsage]: TokenUsage[K] };

/**
 * `addUsage` without a new object. Spelled out: with names in a list this takes several times as long, and it is done for
 * every call of every log.
 */
export function addTo(sum: UsageSum, more: TokenUsage): void {
  const { inputTokens, cacheWrite5mTokens, cacheWrite1hTokens, cacheReadTokens } = more;
  const { outputTokens, reasoningTokens, requests } = more;
  if (inputTokens !== undefined) sum.inputTokens = (sum.inputTokens ?? 0) + inputTokens;
  if (cacheWrite5mTokens !== undefined)
    sum.cacheWrite5mTokens = (sum.cacheWrite5mTokens ?? 0) + cacheWrite5mTokens;
  if (cacheWrite1hTokens !== undefined)
    sum.cacheWrite1hTokens = (sum.cacheWrite1hTokens ?? 0) + cacheWrite1hTokens;
  if (cacheReadTokens !== undefined) sum.cacheReadTokens = (sum.cacheReadTokens ?? 0) + cacheReadTokens;
  if (outputTokens !== undefined) sum.outputTokens = (sum.outputTokens ?? 0) + outputTokens;
  if (reasoningTokens !== undefined) sum.reasoningTokens = (sum.reasoningTokens ?? 0) + reasoningTokens;
  if (requests !== undefined) sum.requests = (sum.requests ?? 0) + requests;
}

/** All billed tokens, or undefined when no class is known. Reasoning is inside output. */
export function totalTokens(usage: TokenUsage): number | undefined {
  let total: number | undefined;
  for (const key of TOKEN_CLASSES) {
    const count = usage[key];
    if (count !== undefined) total = (total ?? 0) + count;
  }
  return total;
}
