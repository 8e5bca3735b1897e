import type { TokenUsage } from "../../core/tokens.ts";
import type { Counter } from "./schema.ts";

/** One `token_count` event that is no plain repeat of the one before. */
export interface Step {
  readonly line: number;
  readonly ordinal: number | undefined;
  readonly atMs: number;
  readonly total: Counter | undefined;
  readonly last: Counter | undefined;
  readonly model: string | undefined;
  readonly tier: string | undefined;
}

export interface CountedCall {
  readonly entry: Step;
  readonly counter: Counter;
}

/**
 * The calls behind a sequence of cumulative counters: an unchanged total is a repeat, a grown one a call of the
 * difference, a fallen one a restart. `base` is the total that was there before the first step.
 */
export function callsOf(
  steps: readonly Step[],
  base: Counter | undefined,
  warn: (step: Step, message: string) => void,
): CountedCall[] {
  const calls: CountedCall[] = [];
  let before = base;
  for (const step of steps) {
    const counter = callAt(step, before, warn);
    if (counter !== undefined && !isZero(counter)) calls.push({ entry: step, counter });
    // A call that came without a total is inside the next one.
    before = step.total ?? (before && step.last ? sum(before, step.last) : before);
  }
  return calls;
}

function callAt(
  step: Step,
  before: Counter | undefined,
  warn: (step: Step, message: string) => void,
): Counter | undefined {
  const { total, last } = step;
  if (total === undefined) return last;
  if (before === undefined) return last ?? total;
  if (areEqual(total, before)) return undefined;
  if (!isAtLeast(total, before)) return last ?? total;
  const difference = subtract(total, before);
  if (last !== undefined && !areEqual(difference, last))
    warn(step, "the total grew by another amount than the last call");
  return difference;
}

export function isZero(counter: Counter): boolean {
  return (
    counter.input === 0 &&
    counter.cached === 0 &&
    counter.output === 0 &&
    counter.reasoning === 0 &&
    (counter.written ?? 0) === 0
  );
}

export function areEqual(a: Counter, b: Counter): boolean {
  return (
    a.input === b.input &&
    a.cached === b.cached &&
    (a.written ?? 0) === (b.written ?? 0) &&
    a.output === b.output &&
    a.reasoning === b.reasoning
  );
}

export function isAtLeast(a: Counter, b: Counter): boolean {
  return (
    a.input >= b.input &&
    a.cached >= b.cached &&
    (a.written ?? 0) >= (b.written ?? 0) &&
    a.output >= b.output &&
    a.reasoning >= b.reasoning
  );
}

function sum(a: Counter, b: Counter): Counter {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    written: a.written === undefined ? b.written : a.written + (b.written ?? 0),
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    total: undefined,
  };
}

export function subtract(a: Counter, b: Counter): Counter {
  return {
    input: a.input - b.input,
    cached: a.cached - b.cached,
    written: a.written === undefined ? undefined : a.written - (b.written ?? 0),
    output: a.output - b.output,
    reasoning: a.reasoning - b.reasoning,
    total: undefined,
  };
}

/** Billing classes: the uncached part of the input apart from what was read from and written to the cache. */
export function billed(counter: Counter): { readonly usage: TokenUsage; readonly isClamped: boolean } {
  const cached = Math.min(counter.cached, counter.input);
  const written =
    counter.written === undefined ? undefined : Math.min(counter.written, counter.input - cached);
  const usage: { -readonly [K in keyof TokenUsage]: TokenUsage[K] } = {
    inputTokens: counter.input - cached - (written ?? 0),
    cacheReadTokens: cached,
    outputTokens: counter.output,
    reasoningTokens: counter.reasoning,
  };
  if (written !== undefined) usage.cacheWrite5mTokens = written;
  return { usage, isClamped: cached !== counter.cached || written !== counter.written };
}
