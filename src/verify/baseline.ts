import { fail, ok, type Problem, type Result } from "../core/result.ts";
import { GATE_LEVELS, type GateLevel, type Room } from "../ports/check-rooms.ts";
import type { TreeId, Workspace } from "../ports/workspace.ts";
import { few } from "./compare-tests.ts";
import { describeDifference, gotFurther } from "./environment-difference.ts";
import { inRooms } from "./in-rooms.ts";
import { jobsOf, readBaseFacts } from "./jobs.ts";
import { type JobResult, judgingTask } from "./judge-job.ts";
import { type GatePorts, PARALLEL_ROOMS } from "./judge-tree.ts";
import { reportPaths } from "./judged-tree.ts";
import { pureVerdicts } from "./pure-verdicts.ts";
import { type CheckJob, type CheckRun, runCheck } from "./run-check.ts";
import type { Baseline, BaselineCheck, Check, CheckVerdict, FrozenGate } from "./types.ts";

export interface BaselineRequest {
  readonly workspace: Workspace;
  readonly workDir: string;
  readonly scratch: string;
  /** Rooms used at once where checks do not run in place. */
  readonly parallelRooms?: number;
}

interface BaseRun {
  readonly ports: GatePorts;
  readonly frozen: FrozenGate;
  readonly request: BaselineRequest;
  readonly checks: readonly Check[];
  readonly jobs: readonly CheckJob[];
  readonly judged: TreeId;
  readonly pure: (level: GateLevel, verdicts: readonly CheckVerdict[]) => Promise<readonly CheckVerdict[]>;
}

/**
 * Runs every blocking check once on the base tree, at the strongest level that works here, and says why not at a
 * stronger one. Red in a checkout is tried in place too: where that differs, the environment is what fails, and the
 * weaker level is used. A problem means that the base tree itself cannot be read or a room cannot be left.
 */
export async function runBaseline(
  ports: GatePorts,
  frozen: FrozenGate,
  request: BaselineRequest,
): Promise<Result<Baseline>> {
  const prepared = await prepare(ports, frozen, request);
  if (!prepared.ok) return prepared;
  const run = prepared.value;
  const levels = frozen.level === undefined ? GATE_LEVELS : [frozen.level];
  const notes: string[] = [];
  let last: Baseline | undefined;
  for (const [index, level] of levels.entries()) {
    const results = await atLevel(run, level, run.jobs);
    if (!results.ok) return results;
    const baseline = await summarised(run, level, results.value, notes);
    last = baseline;
    if (baseline.state === "uncheckable") {
      notes.push(`${level}: ${baseline.problem?.message ?? "uncheckable"}`);
      continue;
    }
    if (baseline.state === "green" || level === "in-place") return ok(baseline);
    const compared = await againstInPlace(run, level, results.value);
    if (!compared.ok) return compared;
    const { differences, flaky, remarks } = compared.value;
    notes.push(...remarks);
    if (differences.length === 0 || index === levels.length - 1) {
      notes.push(...differences);
      const marked = results.value.map((result) => ({
        ...result,
        flaky: result.flaky || flaky.has(result.job.check.name),
      }));
      return ok(await summarised(run, level, marked, notes));
    }
    notes.push(...differences.map((difference) => `${level}: ${difference}`));
  }
  if (last === undefined) return fail("level-unavailable", "no level to run checks at");
  return ok({ ...last, notes });
}

async function prepare(
  ports: GatePorts,
  frozen: FrozenGate,
  request: BaselineRequest,
): Promise<Result<BaseRun>> {
  const { workspace } = request;
  const facts = await readBaseFacts(workspace, frozen.base);
  if (!facts.ok) return facts;
  const { entries } = facts.value;
  const checks = frozen.checks.filter((check) => check.blocking || measuresForBlocking(check, frozen.checks));
  const jobs = jobsOf(checks, facts.value);
  const omit = reportPaths(jobs, new Set(entries.map((entry) => entry.path)));
  const edit = { restore: { from: frozen.base, paths: [] }, omit, replace: [] };
  const judged = omit.length === 0 ? ok(frozen.base) : await workspace.compose(frozen.base, edit);
  if (!judged.ok) return judged;
  const view = { workspace, tree: frozen.base, entries, changes: [] };
  return ok({
    ports,
    frozen,
    request,
    checks,
    jobs,
    judged: judged.value,
    pure: (level, verdicts) => pureVerdicts(ports.clock, checks, view, level, verdicts),
  });
}

function measuresForBlocking(check: Check, checks: readonly Check[]): boolean {
  return checks.some(
    ({ blocking, detector }) => blocking && detector.type === "threshold" && detector.producer === check.name,
  );
}

async function atLevel(
  run: BaseRun,
  level: GateLevel,
  jobs: readonly CheckJob[],
): Promise<Result<readonly JobResult[]>> {
  const { ports, frozen, request } = run;
  const settings = { toolPath: frozen.toolPath, scratch: request.scratch };
  const task = judgingTask(ports, {
    settings,
    flakyRetries: frozen.flakyRetries,
    context: () => ({ tree: frozen.base, judged: run.judged, level, ranBefore: false }),
    runOnce: async (job, room) => {
      const first = await runCheck(ports, job, room, settings);
      return wantsPlainRun(job, first) ? plainRun(run, job, room, first) : { job, run: first };
    },
  });
  const plan = {
    rooms: ports.rooms,
    parallel: request.parallelRooms ?? PARALLEL_ROOMS,
    request: {
      level,
      workspace: request.workspace,
      workDir: request.workDir,
      found: frozen.base,
      judged: run.judged,
      base: frozen.base,
      environment: frozen.environment,
      scratch: request.scratch,
      approvedDependencyChange: false,
    },
  };
  const outcome = await inRooms(plan, jobs, task);
  return outcome.ok ? ok(outcome.value.values) : outcome;
}

/** A known runner without a report: did it fail before it could report, or can it not report here at all? */
function wantsPlainRun(job: CheckJob, run: CheckRun): boolean {
  if (run.kind !== "ran" || run.report !== undefined || run.runner === undefined) return false;
  const { end } = run.outcome;
  return end.kind === "exited" && end.exitCode !== 126 && end.exitCode !== 127 && !job.exitCodeOnly;
}

async function plainRun(
  run: BaseRun,
  job: CheckJob,
  room: Room,
  first: CheckRun,
): Promise<{ readonly job: CheckJob; readonly run: CheckRun }> {
  const plainJob = { ...job, exitCodeOnly: true };
  const settings = { toolPath: run.frozen.toolPath, scratch: run.request.scratch };
  const plain = await runCheck(run.ports, plainJob, room, settings);
  const code = exitCodeOf(plain);
  const cannotReport = code === 0 || code !== exitCodeOf(first);
  return cannotReport ? { job: plainJob, run: plain } : { job, run: first };
}

function exitCodeOf(run: CheckRun): number | undefined {
  return run.kind === "ran" && run.outcome.end.kind === "exited" ? run.outcome.end.exitCode : undefined;
}

interface Compared {
  /** One sentence for each check that says something else in place, where the environment is the reason. */
  readonly differences: readonly string[];
  readonly flaky: ReadonlySet<string>;
  readonly remarks: readonly string[];
}

/** Runs what is red in a checkout once in place, and where that differs once more in a checkout. */
async function againstInPlace(
  run: BaseRun,
  level: GateLevel,
  results: readonly JobResult[],
): Promise<Result<Compared>> {
  const red = results.filter((result) => result.verdict.verdict === "fail");
  const inPlace = await atLevel(
    run,
    "in-place",
    red.map((result) => result.job),
  );
  if (!inPlace.ok) return inPlace;
  const pairs: { readonly first: JobResult; readonly difference: string }[] = [];
  const remarks: string[] = [];
  for (const [index, first] of red.entries()) {
    const there = inPlace.value[index];
    const difference = there === undefined ? undefined : describeDifference(level, first.run, there.run);
    if (there === undefined || difference === undefined) continue;
    if (isLessEquipped(run, first, there)) {
      remarks.push(`in-place: check "${first.job.check.name}" lacks what the ${level} checkout has`);
    } else pairs.push({ first, difference });
  }
  const again = await atLevel(
    run,
    level,
    pairs.map((pair) => pair.first.job),
  );
  if (!again.ok) return again;
  const differences: string[] = [];
  const flaky = new Set<string>();
  for (const [index, { first, difference }] of pairs.entries()) {
    const second = again.value[index];
    const name = first.job.check.name;
    if (second !== undefined && describeDifference(level, first.run, second.run) !== undefined)
      flaky.add(name);
    else differences.push(`check "${name}" ${difference}`);
  }
  for (const name of flaky) remarks.push(`check "${name}" does not say the same twice on the unchanged tree`);
  return ok({ differences, flaky, remarks });
}

/**
 * Whether the working folder is the poorer place to run a check, as a fresh worktree without installed packages is:
 * what the check says there does not count against a checkout.
 */
function isLessEquipped(run: BaseRun, here: JobResult, there: JobResult): boolean {
  if (there.verdict.verdict === "uncheckable") return true;
  if (gotFurther(here.run, there.run)) return true;
  const lacksPackages = (run.frozen.environment.notInstalled ?? []).length > 0;
  return lacksPackages && !gotFurther(there.run, here.run);
}

async function summarised(
  run: BaseRun,
  level: GateLevel,
  results: readonly JobResult[],
  notes: readonly string[],
): Promise<Baseline> {
  const verdicts = results.map((result) => result.verdict);
  const pure = await run.pure(level, verdicts);
  const checks = run.checks.flatMap((check): readonly BaselineCheck[] => {
    const result = results.find((entry) => entry.job.check.name === check.name);
    const verdict = result?.verdict ?? pure.find((entry) => entry.check === check.name);
    return verdict === undefined ? [] : [baselineCheck(verdict, result)];
  });
  const stuck = [...verdicts, ...pure].flatMap((verdict) =>
    verdict.verdict === "uncheckable" ? [verdict] : [],
  );
  const blocking = new Set(run.checks.filter((check) => check.blocking).map((check) => check.name));
  const red = checks.some((check) => check.verdict === "fail" && blocking.has(check.check));
  const problem =
    stuck.length === 0
      ? undefined
      : uncheckable(
          stuck.map((verdict) => verdict.problem),
          stuck,
        );
  return {
    tree: run.frozen.base,
    level,
    notes: [...notes],
    checks,
    state: problem !== undefined ? "uncheckable" : red ? "red" : "green",
    ...(problem === undefined ? {} : { problem }),
  };
}

function uncheckable(problems: readonly Problem[], stuck: readonly CheckVerdict[]): Problem {
  const hint = problems.find((problem) => problem.hint !== undefined)?.hint;
  return {
    code: "checks-uncheckable",
    message: `cannot be checked here: ${few(stuck.map((verdict, index) => `${verdict.check} (${problems[index]?.message})`))}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

function baselineCheck(verdict: CheckVerdict, result: JobResult | undefined): BaselineCheck {
  const ran = result?.run.kind === "ran" ? result.run : undefined;
  const code = result === undefined ? undefined : exitCodeOf(result.run);
  return {
    check: verdict.check,
    verdict: verdict.verdict,
    ...(code === undefined ? {} : { exitCode: code }),
    tail: verdict.evidence?.tail ?? "",
    ...(ran?.report === undefined ? {} : { tests: ran.report.results, brokenFiles: ran.report.brokenFiles }),
    ...(result?.job.exitCodeOnly === true ? { exitCodeOnly: true } : {}),
    ...(result?.flaky === true ? { flaky: true } : {}),
    ...(verdict.verdict === "fail" ? { why: verdict.why } : {}),
    ...(verdict.verdict === "uncheckable" ? { why: verdict.problem.message } : {}),
  };
}
