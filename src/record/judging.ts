/** What saying an outcome needs: the rest of the records is not loaded for it. */
export { eventNote, makeSignal, withSignal } from "./add-signal.ts";
export { judge } from "./judge.ts";
export { outcomeOf } from "./run-row.ts";
export { changeRun, readRun } from "./store-run.ts";
