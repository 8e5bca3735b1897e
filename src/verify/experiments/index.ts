export { lifetimeAlpha } from "./anytime.ts";
export { costRatio, decideChange, tally } from "./decide.ts";
export { type ArmRun, pairRuns } from "./pair-runs.ts";
export { evidence, looksUpTo, smallestDetectable } from "./sequential.ts";
export { DEFAULT_RULE, type DecisionRule, type Verdict } from "./types.ts";
