import { formatMonth } from "./facts.ts";
import { named } from "./names.ts";
import type { Term } from "./terms.ts";

const MAX_MONTHS = 12;
const MAX_SKIPPED = 3;

/** The months in which each model ran, ascending. */
export type ModelMonths = ReadonlyMap<string, readonly number[]>;

export function modelMonths(sightings: Iterable<readonly [model: string, month: number]>): ModelMonths {
  const seen = new Map<string, Set<number>>();
  for (const [model, month] of sightings) {
    const months = seen.get(model) ?? new Set();
    seen.set(model, months.add(month));
  }
  return new Map([...seen].map(([model, months]) => [model, [...months].sort((a, b) => a - b)]));
}

/**
 * The steps of a model up to a month: each month after its first one adds a step that persists, a random walk in
 * time. Only the latest 12 months have steps of their own.
 */
export function stepsUntil(
  months: ModelMonths,
  model: string,
  month: number,
  weight: number,
): readonly Term[] {
  const later = (months.get(model) ?? []).slice(1).slice(-MAX_MONTHS);
  return later.filter((at) => at <= month).map((at): Term => [stepOf(model, at), weight]);
}

function stepOf(model: string, month: number): string {
  return named("drift", model, "@", formatMonth(month));
}

/** The same for a prediction: months since the model was last seen are steps that nobody has seen, at most 3. */
export function stepsTo(months: ModelMonths, model: string, now: number, weight: number): readonly Term[] {
  const last = months.get(model)?.at(-1);
  const known = stepsUntil(months, model, now, weight);
  if (last === undefined) return known;
  const skipped = Math.min(MAX_SKIPPED, Math.max(0, now - last));
  const unseen = Array.from({ length: skipped }, (_, i): Term => [stepOf(model, now - i), weight]);
  return [...known, ...unseen];
}
