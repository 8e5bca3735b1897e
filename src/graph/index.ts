export { type GraphPiece, waves } from "./order.ts";
export { listSchedule, type Schedule, type ScheduledPiece } from "./schedule.ts";
export {
  amdahl,
  type Concurrency,
  type CriticalPath,
  criticalPath,
  type GraphPlan,
  planGraph,
  speedupCeiling,
  workerCount,
} from "./sizing.ts";
