import type { RunFacts, TaskFacts } from "./facts.ts";
import type { Term } from "./terms.ts";

/** How time boxes stand in rows: against the middle one of the runs, and apart from open-ended work if that can be told. */
export interface HorizonPlan {
  readonly refS: number;
  readonly isTold: boolean;
}

/** Runs with and without a box of one source, before a box can be told from that source. */
const FEWEST = 2;
/** How much of a setting's or a shape's effect on costs is left when time is what ends a run. */
export const BOXED_SHARE = 0.3;

/** Undefined where no run had a time box: then nothing is said of one. */
export function planHorizon(runs: readonly RunFacts[]): HorizonPlan | undefined {
  const boxes: number[] = [];
  const counts = new Map<string, { boxed: number; open: number }>();
  for (const { source, task } of runs) {
    const own = counts.get(source) ?? { boxed: 0, open: 0 };
    counts.set(source, own);
    if (task.horizonS === undefined) own.open += 1;
    else {
      own.boxed += 1;
      boxes.push(task.horizonS);
    }
  }
  const refS = boxes.sort((a, b) => a - b)[(boxes.length - 1) >> 1];
  if (refS === undefined) return undefined;
  return {
    refS,
    isTold: [...counts.values()].some(({ boxed, open }) => boxed >= FEWEST && open >= FEWEST),
  };
}

export function isBoxed(task: TaskFacts, plan: HorizonPlan | undefined): boolean {
  return plan !== undefined && task.horizonS !== undefined;
}

export function horizonTerms({ horizonS }: TaskFacts, plan: HorizonPlan | undefined): readonly Term[] {
  if (plan === undefined || horizonS === undefined) return [];
  const doublings: Term = ["horizon:log2h", Math.log2(horizonS / plan.refS)];
  return plan.isTold ? [["horizon:timebox", 1], doublings] : [doublings];
}
