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
const COUNTS = [...TOKEN_CLASSES, "reasoningTokens", "requests"] as const;

/** Adds class by class; a class that neither side knows stays absent. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: { -readonly [K in keyof TokenUsage]: TokenUsage[K] } = {};
  for (const key of COUNTS) {
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0);
  }
  return sum;
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
