export { type GraphPiece, waves, wavesByPhase } from "./order.ts";
export { heaviestChains, listSchedule, type Schedule, type ScheduledPiece } from "./schedule.ts";
export {
  amdahl,
  type Concurrency,
  type CriticalPath,
  criticalPath,
  type GraphPlan,
  planGraph,
  scheduledWorkerCount,
  speedupCeiling,
  workerCount,
} from "./sizing.ts";
