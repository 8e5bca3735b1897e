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
export { type FoundCost, finishDocument } from "./finish-run.ts";
export { type Imported, type ImportOptions, importRun } from "./import-run.ts";
export { type Intake, MAX_DOCUMENT_BYTES, readForeign } from "./intake.ts";
export { canReviewSettle, type Judgement, judge, RULE_EXT, ruleOf } from "./judge.ts";
export { keepLate } from "./keep-late.ts";
export { type MappedSession, mapSessions, type SessionToMap } from "./map-sessions.ts";
export { type Matched, matchCosts, runCost, type SessionLogs, type SessionSeen } from "./match-costs.ts";
export {
  CAUSES,
  type NewArtifact,
  type NewAttempt,
  SETTLED,
  settleAttempt,
  whileOpen,
  withArtifact,
  withAttempt,
} from "./run-attempts.ts";
export { outcomeOf, type RunOutcome, runRow } from "./run-row.ts";
export { sessionDocument } from "./session-document.ts";
export * from "./session-record.ts";
export { joinSlate, type RunStart, startDocument } from "./start-run.ts";
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
