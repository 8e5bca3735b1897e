import { ok, type Problem, type Result } from "../core/result.ts";
import type { Room } from "../ports/check-rooms.ts";
import type { ProcessOutcome } from "../ports/process.ts";
import type { ResolvedCommand, RunnerName } from "./command.ts";
import type { ProcessDetector } from "./detectors/index.ts";
import { type Metrics, readMetrics } from "./metrics.ts";
import { asInCheckout, evidenceTail } from "./output.ts";
import { reportParser } from "./reports/formats.ts";
import { goOutput } from "./reports/go-json.ts";
import { NODE_REPORTER_SOURCE } from "./reports/node-lines.ts";
import type { ReportContext, TestRun } from "./reports/types.ts";
import { type CommandOutcome, type CommandPorts, hex, readText, runCommand } from "./run-command.ts";
import { planReport, type ReportPaths, type ReportPlan } from "./runners.ts";
import type { Check } from "./types.ts";

/** A check that runs a command, with what was worked out about it beforehand from the base tree. */
export interface CheckJob {
  readonly check: Check & { readonly detector: ProcessDetector };
  readonly resolved: ResolvedCommand;
  /** The base run gave no report although the runner is known. */
  readonly exitCodeOnly: boolean;
  /** Metrics that thresholds want of it. */
  readonly wantedMetrics: readonly string[];
  readonly goModule?: string;
}

/** What one run of a check came to, before it is judged. */
export type CheckRun =
  | {
      readonly kind: "ran";
      readonly outcome: ProcessOutcome;
      readonly tail: string;
      /** The runner whose report was asked for; undefined: exit code only, unless the check names a report. */
      readonly runner?: RunnerName;
      /** Whether a report is part of the judgement. */
      readonly reportWanted: boolean;
      readonly report?: TestRun;
      readonly metrics: Metrics;
      /** Paths that the check changed although they are what is judged: the verdict is void. */
      readonly altered: readonly string[];
      readonly room: Pick<Room, "level" | "setupHash" | "dir" | "dependencyChange">;
    }
  | { readonly kind: "problem"; readonly problem: Problem };

export interface RunSettings {
  readonly toolPath: string;
  readonly scratch: string;
}

/** Runs one check once in a room. Never throws for what a check does; what stands in the way is a problem. */
export async function runCheck(
  ports: CommandPorts,
  job: CheckJob,
  room: Room,
  settings: RunSettings,
): Promise<CheckRun> {
  const paths = await exchangePaths(ports, job, room, settings);
  if (!paths.ok) return { kind: "problem", problem: paths.problem };
  const plan = planOf(job, paths.value);
  const run = await runCommand(ports, {
    room,
    command: plan?.command ?? job.check.detector.command,
    env: { LOOPWRIGHT_METRICS: paths.value.metrics, ...plan?.env },
    wallMs: job.check.timeoutMs,
    toolPath: settings.toolPath,
    scratch: settings.scratch,
    wantsStreams: plan?.onStreams === true || job.wantedMetrics.length > 0,
  });
  if (!run.ok) return { kind: "problem", problem: run.problem };
  const left = await readBack(ports, job, room, plan, paths.value, run.value);
  if (!left.ok) return { kind: "problem", problem: left.problem };
  const { stdout, stderr, mixedTail, outcome } = run.value;
  const said = plan?.runner === "go" ? goOutput(stdout) + stderr : mixedTail;
  return {
    kind: "ran",
    outcome,
    tail: evidenceTail(asInCheckout(said, room.dir)),
    ...(plan === undefined ? {} : { runner: plan.runner }),
    reportWanted: plan !== undefined || job.check.detector.type === "test_report",
    ...left.value,
    room: {
      level: room.level,
      setupHash: room.setupHash,
      dir: room.dir,
      dependencyChange: room.dependencyChange,
    },
  };
}

/** The files that this run and we exchange. */
interface ExchangePaths extends ReportPaths {
  readonly metrics: string;
  /** The report that the check itself names, in the room. */
  readonly named?: string;
}

/** Fresh paths in a folder of ours. A report that lies in the room already says nothing about this run: it is removed. */
async function exchangePaths(
  ports: CommandPorts,
  { check: { detector } }: CheckJob,
  room: Room,
  settings: RunSettings,
): Promise<Result<ExchangePaths>> {
  const folder = `${settings.scratch}/reports/${hex(ports.entropy.bytes(16))}`;
  const paths = {
    report: `${folder}/report`,
    reporter: `${folder}/reporter.mjs`,
    metrics: `${folder}/metrics.json`,
  };
  const prepared = await ports.checkFiles.write(paths.reporter, NODE_REPORTER_SOURCE);
  if (!prepared.ok) return prepared;
  if (detector.type !== "test_report") return ok(paths);
  const named = `${room.dir}/${detector.path}`;
  const removed = await ports.checkFiles.remove(named);
  return removed.ok ? ok({ ...paths, named }) : removed;
}

type LeftBehind = Pick<Extract<CheckRun, { readonly kind: "ran" }>, "report" | "metrics" | "altered">;

async function readBack(
  ports: CommandPorts,
  job: CheckJob,
  room: Room,
  plan: ReportPlan | undefined,
  paths: ExchangePaths,
  run: CommandOutcome,
): Promise<Result<LeftBehind>> {
  const altered = await room.altered();
  if (!altered.ok) return altered;
  const reportText = await readText(ports.checkFiles, paths.named ?? paths.report);
  if (!reportText.ok) return reportText;
  const metricsText = await readText(ports.checkFiles, paths.metrics);
  if (!metricsText.ok) return metricsText;
  const context = { root: room.dir, ...(job.goModule === undefined ? {} : { goModule: job.goModule }) };
  const report = await parsed(job, plan, reportText.value, run, context);
  return ok({
    ...(report === undefined ? {} : { report }),
    metrics: readMetrics(metricsText.value, run.stdout, job.wantedMetrics),
    altered: altered.value,
  });
}

function planOf(job: CheckJob, paths: ReportPaths): ReportPlan | undefined {
  const { detector } = job.check;
  // A person who expects another exit code than 0 does not ask for green tests.
  if (job.exitCodeOnly || detector.type !== "script" || detector.expectExit !== 0) return undefined;
  return planReport(detector.command, job.resolved, paths);
}

async function parsed(
  job: CheckJob,
  plan: ReportPlan | undefined,
  file: string | undefined,
  run: CommandOutcome,
  context: ReportContext,
): Promise<TestRun | undefined> {
  const { detector } = job.check;
  if (detector.type === "test_report") {
    return file === undefined
      ? undefined
      : reportParser(detector.format)({ file, stdout: "", stderr: "" }, context);
  }
  return plan?.parse({ file, stdout: run.stdout, stderr: run.stderr }, context);
}
