export {
  type Admission,
  type Admitted,
  admit,
  remembering,
  type StartedRun,
  type WatchHistory,
} from "./admit.ts";
export { type Due, due, type Facts, type Firing, type Remembered } from "./due.ts";
export { isWatchable, nextDue, nextLook } from "./wake.ts";
