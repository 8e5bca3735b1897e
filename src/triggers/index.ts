export {
  type Admission,
  type Admitted,
  admit,
  remembering,
  type StartedRun,
  type WatchHistory,
} from "./admit.ts";
export { type Due, due, type Facts, type Firing, type Remembered } from "./due.ts";
export {
  editCrontab,
  TIMER_KINDS,
  type TimerJob,
  type TimerKind,
  type TimerPlan,
  timerPlan,
} from "./timer.ts";
export { isWatchable, nextDue, nextLook } from "./wake.ts";
