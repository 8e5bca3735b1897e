export { resultOf } from "./attempts.ts";
export { recordedEvaluation } from "./evaluation.ts";
export { canReviewSettle, type Judgement, judge, RULE_EXT, ruleOf } from "./judge.ts";
export { keepLate } from "./keep-late.ts";
export { outcomeOf, type RunOutcome, runRow } from "./run-row.ts";
export { sessionDocument } from "./session-document.ts";
export * from "./session-record.ts";
export {
  changeRun,
  type KnownRun,
  noSuchRun,
  putDocument,
  type RunStore,
  readRun,
  storeSessionRun,
  type WrittenRun,
} from "./store-run.ts";
