import { adapt } from "./adapt.ts";
import { analyze } from "./analyze.ts";
import { budget } from "./budget.ts";
import { configGet, configSet, configUnset } from "./config.ts";
import { demo } from "./demo.ts";
import { diff } from "./diff.ts";
import { doctor } from "./doctor.ts";
import { events } from "./events.ts";
import {
  experimentCompare,
  experimentDecide,
  experimentRun,
  experimentStart,
  experimentStatus,
} from "./experiment.ts";
import { fit } from "./fit.ts";
import { gate } from "./gate.ts";
import { go } from "./go.ts";
import { graph } from "./graph.ts";
import { ledgerShow, ledgerVerify } from "./ledger.ts";
import { loopApprove } from "./loop-approve.ts";
import { loopConvert } from "./loop-convert.ts";
import { loopExport } from "./loop-export.ts";
import { loopGate } from "./loop-gate.ts";
import { loopMigrate } from "./loop-migrate.ts";
import { loopNew } from "./loop-new.ts";
import { loopPermissions } from "./loop-permissions.ts";
import { loopPlan } from "./loop-plan.ts";
import { loopRestore } from "./loop-restore.ts";
import { loopResume } from "./loop-resume.ts";
import { loopSchedule } from "./loop-schedule.ts";
import { loopStart } from "./loop-start.ts";
import { loopValidate } from "./loop-validate.ts";
import { loopWatch } from "./loop-watch.ts";
import { memoryForget, memoryList, memoryPromote } from "./memory.ts";
import { ocpMigrate } from "./ocp-migrate.ts";
import { ocpValidate } from "./ocp-validate.ts";
import { outcome } from "./outcome.ts";
import { posterior } from "./posterior.ts";
import { pricesShow, pricesValidate } from "./prices.ts";
import { prior } from "./prior.ts";
import { proposalsApply, proposalsList, proposalsShow } from "./proposals.ts";
import { providers } from "./providers.ts";
import { recommend } from "./recommend.ts";
import { report } from "./report.ts";
import { runArtifact } from "./run-artifact.ts";
import { runAttempt } from "./run-attempt.ts";
import { runExport } from "./run-export.ts";
import { runFinish } from "./run-finish.ts";
import { runImport } from "./run-import.ts";
import { runRecord } from "./run-record.ts";
import { runSessions } from "./run-sessions.ts";
import { runStart } from "./run-start.ts";
import { runs } from "./runs.ts";
import { scan } from "./scan.ts";
import { skillsAdd, skillsPromote, skillsRemove, skillsSetup } from "./skills-change.ts";
import { skillsList, skillsScores, skillsSearch } from "./skills-show.ts";
import { status } from "./status.ts";
import { loopPause, stop } from "./stop.ts";
import { storeCheck } from "./store-check.ts";
import { taskTypes } from "./task-types.ts";
import type { Command } from "./types.ts";
import { update } from "./update.ts";
import { workflowsDiff } from "./workflows-diff.ts";
import { workflowsList } from "./workflows-list.ts";
import { workflowsShow } from "./workflows-show.ts";
import { workflowsValidate } from "./workflows-validate.ts";

/** The closed list of what can be done. Every face is made from it, so none can do what another cannot. */
export const COMMANDS: readonly Command[] = [
  go,
  demo,
  taskTypes,
  workflowsList,
  workflowsShow,
  workflowsValidate,
  workflowsDiff,
  recommend,
  loopNew,
  loopStart,
  loopValidate,
  loopConvert,
  loopMigrate,
  loopPlan,
  loopGate,
  loopPermissions,
  loopResume,
  loopPause,
  loopApprove,
  loopRestore,
  loopExport,
  loopWatch,
  loopSchedule,
  status,
  diff,
  events,
  update,
  stop,
  ledgerShow,
  ledgerVerify,
  providers,
  proposalsList,
  proposalsShow,
  proposalsApply,
  skillsList,
  skillsSearch,
  skillsAdd,
  skillsScores,
  skillsPromote,
  skillsSetup,
  skillsRemove,
  memoryList,
  memoryPromote,
  memoryForget,
  gate,
  experimentStart,
  experimentRun,
  experimentStatus,
  experimentCompare,
  experimentDecide,
  runStart,
  runAttempt,
  runArtifact,
  runRecord,
  runFinish,
  runSessions,
  runImport,
  runExport,
  outcome,
  budget,
  configGet,
  configSet,
  configUnset,
  fit,
  posterior,
  prior,
  report,
  runs,
  doctor,
  storeCheck,
  scan,
  analyze,
  graph,
  adapt,
  pricesShow,
  pricesValidate,
  ocpValidate,
  ocpMigrate,
];
