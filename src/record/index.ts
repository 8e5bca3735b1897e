export { resultOf } from "./attempts.ts";
export { recordedEvaluation } from "./evaluation.ts";
export { outcomeOf, type RunOutcome, runRow } from "./run-row.ts";
export { sessionDocument } from "./session-document.ts";
export * from "./session-record.ts";
