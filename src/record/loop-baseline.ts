import type { LoopBaseline, LoopEvolution } from "../formats/loop/index.ts";

/** One run of a loop, as far as it is known. */
export interface MeasuredRun {
  readonly isAccepted: boolean;
  /** Share of blocking checks that passed in the end. */
  readonly passRate?: number;
  readonly usd?: number;
  readonly seconds: number;
  readonly iterations: number;
}

const MEASURES = [
  "completionRate",
  "validationPassRate",
  "costUsd",
  "latencySeconds",
  "iterationsToSuccess",
] as const satisfies readonly (keyof LoopBaseline)[];
export type Measure = (typeof MEASURES)[number];

/** Of each measure its mean; absent where one of the runs does not know it. */
export type Measured = Readonly<Partial<Record<Measure, number>>>;

export type Regression =
  /** Nothing to hold it against: that is not a pass. */
  | { readonly is: "no-baseline" }
  | { readonly is: "too-few-runs"; readonly runs: number }
  | { readonly is: "held"; readonly measured: Measured }
  | { readonly is: "regressed"; readonly measured: Measured; readonly worse: readonly Measure[] };

/** Cost, time and rounds are those of runs that were accepted. */
export function measure(runs: readonly MeasuredRun[]): Measured {
  const accepted = runs.filter(({ isAccepted }) => isAccepted);
  const means: Readonly<Record<Measure, number | undefined>> = {
    completionRate: mean(runs.map(({ isAccepted }) => (isAccepted ? 1 : 0))),
    validationPassRate: mean(runs.map(({ passRate }) => passRate)),
    costUsd: mean(accepted.map(({ usd }) => usd)),
    latencySeconds: mean(accepted.map(({ seconds }) => seconds)),
    iterationsToSuccess: mean(accepted.map(({ iterations }) => iterations)),
  };
  return Object.fromEntries(
    MEASURES.flatMap((name) => (means[name] === undefined ? [] : [[name, means[name]]])),
  );
}

/** How runs stand against the baseline of the file; what either side does not know is not compared. */
export function regression(
  runs: readonly MeasuredRun[],
  { baseline, maxRegression }: Pick<LoopEvolution, "baseline" | "maxRegression">,
  fewestRuns: number,
): Regression {
  if (baseline === undefined || MEASURES.every((name) => baseline[name] === undefined))
    return { is: "no-baseline" };
  if (runs.length < fewestRuns) return { is: "too-few-runs", runs: runs.length };
  const measured = measure(runs);
  const worse = MEASURES.filter((name) => isWorse(name, measured[name], baseline[name], maxRegression));
  return worse.length === 0 ? { is: "held", measured } : { is: "regressed", measured, worse };
}

const MORE_IS_BETTER: readonly Measure[] = ["completionRate", "validationPassRate"];

function isWorse(name: Measure, found: number | undefined, base: number | undefined, bound: number): boolean {
  if (found === undefined || base === undefined) return false;
  const room = Math.abs(base) * bound;
  return MORE_IS_BETTER.includes(name) ? found < base - room : found > base + room;
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0 || known.length < values.length) return undefined;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
