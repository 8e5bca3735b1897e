export {
  makeSignal,
  parseNameValue,
  type SaidSignal,
  withoutRule,
  withPreference,
  withRule,
  withSignal,
} from "./add-signal.ts";
export { recordedEvaluation } from "./evaluation.ts";
export { finishDocument } from "./finish-run.ts";
export { withHarness } from "./harness.ts";
export { importRun } from "./import-run.ts";
export { MAX_DOCUMENT_BYTES, readForeign } from "./intake.ts";
export { canReviewSettle, judge } from "./judge.ts";
export { judgeCost, withJudgeCost } from "./judge-cost.ts";
export {
  type Fact,
  memoryRecords,
  outdated,
  type Said,
} from "./loop-memory.ts";
export { type MappedSession, mapSessions, type SessionToMap } from "./map-sessions.ts";
export { type Matched, matchCosts, runCost } from "./match-costs.ts";
export {
  settleAttempt,
  whileOpen,
  withArtifact,
  withAttempt,
} from "./run-attempts.ts";
export { outcomeOf, runRow } from "./run-row.ts";
export { sessionDocument } from "./session-document.ts";
export * from "./session-record.ts";
export { joinSlate, type RunStart, startDocument } from "./start-run.ts";
export {
  changeRun,
  type KnownRun,
  putDocument,
  readRun,
  storeSessionRun,
} from "./store-run.ts";
