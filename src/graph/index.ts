export { type GraphPiece, waves } from "./order.ts";
export { listSchedule, type Schedule, type ScheduledPiece } from "./schedule.ts";
export {
  amdahl,
  type Concurrency,
  type CriticalPath,
  criticalPath,
  DEFAULT_CONCURRENCY,
  type GraphPlan,
  parallelFraction,
  planGraph,
  speedupCeiling,
  workerCount,
} from "./sizing.ts";
