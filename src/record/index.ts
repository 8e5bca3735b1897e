export {
  eventNote,
  makeSignal,
  parseNameValue,
  type SaidSignal,
  SIGNAL_SOURCES,
  TIERS,
  VERDICT_VALUES,
  withoutRule,
  withPreference,
  withRule,
  withSignal,
} from "./add-signal.ts";
export { resultOf } from "./attempts.ts";
export { recordedEvaluation } from "./evaluation.ts";
export { type Imported, type ImportOptions, importRun, latestTime } from "./import-run.ts";
export { type Intake, MAX_DOCUMENT_BYTES, readForeign } from "./intake.ts";
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
