import type { PriceTable, Rates } from "../../formats/prices/index.ts";
import { modelPath } from "./model-path.ts";

/** A model's list price from a moment on, as a logarithm. */
interface PriceStep {
  readonly fromMs: number;
  readonly ln: number;
}

/** Of models whose list price changed: their prices, oldest first. */
export type PriceSteps = ReadonlyMap<string, readonly PriceStep[]>;

/** Of a hundred tokens of a coding agent: what one blended price is made of, so that a row and a forecast agree. */
const MIX = { input: 3, write: 5, read: 90, output: 2 } as const;

/** A model keeps the prices of the first table that has it. */
export function priceSteps(tables: readonly PriceTable[]): PriceSteps {
  const steps = new Map<string, readonly PriceStep[]>();
  const seen = new Set<string>();
  for (const { models } of tables) {
    for (const [name, rows] of Object.entries(models)) {
      const { model } = modelPath(name);
      if (seen.has(model)) continue;
      seen.add(model);
      if (rows.length < 2) continue;
      steps.set(
        model,
        rows.map(({ from, rates }) => ({
          fromMs: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
          ln: lnPrice(rates),
        })),
      );
    }
  }
  return steps;
}

/** How much dearer a model was at a moment than at another one, as a logarithm; 0 where its price never changed. */
export function lnPriceChange(steps: PriceSteps, name: string, atMs: number, thanMs: number): number {
  const own = steps.get(modelPath(name).model);
  if (own === undefined) return 0;
  const change = lnAt(own, atMs) - lnAt(own, thanMs);
  return Number.isFinite(change) ? change : 0;
}

function lnAt(steps: readonly PriceStep[], atMs: number): number {
  return (steps.findLast(({ fromMs }) => fromMs <= atMs) ?? steps[0])?.ln ?? 0;
}

/** One blended list price as a logarithm; undefined for a model that costs nothing. */
export function lnListPrice(rates: Rates): number | undefined {
  const ln = lnPrice(rates);
  return Number.isFinite(ln) ? ln : undefined;
}

function lnPrice({ input, write5m = input, read = input, output }: Rates): number {
  return Math.log(MIX.input * input + MIX.write * write5m + MIX.read * read + MIX.output * output);
}
