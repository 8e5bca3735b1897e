import { ok, type Result } from "../core/result.ts";
import type { CheckRooms, GateLevel } from "../ports/check-rooms.ts";
import type { Clock } from "../ports/clock.ts";
import type { TreeId, Workspace } from "../ports/workspace.ts";
import { isCacheable, type VerdictCache, verdictKey } from "./check-cache.ts";
import type { TreeView } from "./detectors/types.ts";
import { inRooms } from "./in-rooms.ts";
import { type BaseFacts, baselineOf, baseTestsOf, jobsOf, readBaseFacts } from "./jobs.ts";
import { judgingTask } from "./judge-job.ts";
import { ADDED_DEPENDENCIES } from "./judge-run.ts";
import { composeJudged, type Judged, planJudgedTree } from "./judged-tree.ts";
import { pureVerdicts } from "./pure-verdicts.ts";
import type { CheckJob } from "./run-check.ts";
import type { CommandPorts } from "./run-command.ts";
import { assessTargets } from "./targets.ts";
import type { Baseline, CheckVerdict, FrozenGate, GateResult } from "./types.ts";

export interface GatePorts extends CommandPorts {
  readonly rooms: CheckRooms;
  readonly clock: Clock;
  readonly cache?: VerdictCache;
  /** Platform and versions of the tools on PATH, part of what a cached verdict rests on. */
  readonly tools?: string;
}

export interface GateRequest {
  readonly workspace: Workspace;
  readonly workDir: string;
  readonly found: TreeId;
  readonly baseline: Baseline;
  readonly scratch: string;
  readonly approvedDependencyChange: boolean;
  /** Changed protected paths that a person has approved: they are judged as found. */
  readonly approvedPaths?: readonly string[];
  /** Rooms used at once where checks do not run in place. */
  readonly parallelRooms?: number;
}

export const PARALLEL_ROOMS = 2;

/**
 * Judges what is there: every check against the found tree with protected paths as they were at the start, at the
 * level of the base run. Deterministic code only. A problem means that no verdict could be had at all; a check that
 * cannot be answered is `uncheckable` inside the result, and never a pass.
 */
export async function evaluateGate(
  ports: GatePorts,
  frozen: FrozenGate,
  request: GateRequest,
): Promise<Result<GateResult>> {
  const prepared = await prepare(ports, frozen, request);
  if (!prepared.ok) return prepared;
  const gate = prepared.value;
  const ran = await verdictsOfJobs(gate);
  if (!ran.ok) return ran;
  const pure = await pureVerdicts(ports.clock, frozen.checks, gate.view, gate.level, ran.value.verdicts);
  const extra = await extraRuns(gate, ran.value.verdicts);
  if (!extra.ok) return extra;
  const verdicts = inOrder(frozen, [...ran.value.verdicts, ...pure]).map((verdict) => noted(frozen, verdict));
  const changed = gate.judged.kind === "composed" && gate.judged.tree !== frozen.base;
  const { targets, satisfied } = assessTargets({ ...frozen, verdicts, changed });
  const dependencyChange = dependencyChangeOf(verdicts);
  return ok({
    tree: request.found,
    level: gate.level,
    checks: [...verdicts, ...extra.value.advisory],
    targets,
    satisfied,
    touchedProtected: gate.judged.touched,
    ...(dependencyChange === undefined ? {} : { dependencyChange }),
    restoredButWouldPass: extra.value.wouldPass,
    needsApproval: gate.needsApproval,
    keptEdits: [...ran.value.keptEdits, ...extra.value.keptEdits],
  });
}

interface Gate {
  readonly ports: GatePorts;
  readonly frozen: FrozenGate;
  readonly request: GateRequest;
  readonly facts: BaseFacts;
  readonly jobs: readonly CheckJob[];
  readonly judged: Judged;
  readonly needsApproval: readonly string[];
  readonly view: TreeView;
  readonly level: GateLevel;
}

async function prepare(ports: GatePorts, frozen: FrozenGate, request: GateRequest): Promise<Result<Gate>> {
  const { workspace, found, baseline } = request;
  const facts = await readBaseFacts(workspace, frozen.base);
  if (!facts.ok) return facts;
  const changes = await workspace.diff(frozen.base, found);
  if (!changes.ok) return changes;
  const entries = await workspace.list(found);
  if (!entries.ok) return entries;
  const jobs = jobsOf(frozen.checks, facts.value, baseline);
  const plan = planJudgedTree(frozen.protection, changes.value, request.approvedPaths);
  const paths = new Set([...facts.value.entries, ...entries.value].map((entry) => entry.path));
  const judged = await composeJudged(workspace, frozen.base, found, plan, reportPaths(jobs, paths));
  if (!judged.ok) return judged;
  return ok({
    ports,
    frozen,
    request,
    facts: facts.value,
    jobs,
    judged: judged.value,
    needsApproval: plan.needsApproval,
    view: { workspace, tree: found, entries: entries.value, changes: changes.value },
    level: frozen.level ?? baseline.level,
  });
}

/** Reports that checks write into the checkout: one that the tree holds already is never the run's own. */
export function reportPaths(jobs: readonly CheckJob[], inTree: ReadonlySet<string>): readonly string[] {
  const named = jobs.flatMap(({ check: { detector } }) =>
    detector.type === "test_report" ? [detector.path] : [],
  );
  return [...new Set(named.map((path) => path.replace(/^(\.\/)+/, "")))].filter((path) => inTree.has(path));
}

interface Ran {
  readonly verdicts: readonly CheckVerdict[];
  readonly keptEdits: readonly string[];
}

async function verdictsOfJobs(gate: Gate): Promise<Result<Ran>> {
  const { judged, jobs } = gate;
  if (judged.kind === "unusable") {
    return ok({ verdicts: jobs.map((job) => unjudged(gate, job, judged.why)), keptEdits: [] });
  }
  const keys = jobs.map((job) =>
    verdictKey({
      job,
      frozen: gate.frozen,
      judged: judged.tree,
      level: gate.level,
      base: baseTestsOf(job, baselineOf(job.check.name, gate.request.baseline), gate.facts),
      approvedDependencyChange: gate.request.approvedDependencyChange,
      tools: gate.ports.tools ?? "",
    }),
  );
  const known = await Promise.all(
    keys.map((key) => (key === undefined ? undefined : gate.ports.cache?.get(key))),
  );
  const open = jobs.filter((_job, index) => known[index] === undefined);
  const ran = await judgeTree(gate, judged.tree, open, gate.frozen.flakyRetries);
  if (!ran.ok) return ran;
  const fresh = ran.value.verdicts[Symbol.iterator]();
  const verdicts: CheckVerdict[] = [];
  for (const [index, cached] of known.entries()) {
    const verdict = cached ?? fresh.next().value;
    if (verdict === undefined) continue;
    const key = keys[index];
    if (cached === undefined && key !== undefined && isCacheable(verdict))
      await gate.ports.cache?.put(key, verdict);
    verdicts.push(cached === undefined ? verdict : fromCache(verdict, gate.request.found));
  }
  return ok({ verdicts, keptEdits: ran.value.keptEdits });
}

/** The verdicts of jobs on one tree, held against the base run. */
async function judgeTree(
  gate: Gate,
  tree: TreeId,
  jobs: readonly CheckJob[],
  flakyRetries: number,
  heldAgainstBase = true,
): Promise<Result<Ran>> {
  const { ports, frozen, request, level } = gate;
  const task = judgingTask(ports, {
    settings: { toolPath: frozen.toolPath, scratch: request.scratch },
    flakyRetries,
    context: (job) => {
      const before = baselineOf(job.check.name, request.baseline);
      const base = heldAgainstBase ? baseTestsOf(job, before, gate.facts) : undefined;
      const ranBefore = before !== undefined && before.verdict !== "uncheckable";
      return { tree: request.found, judged: tree, level, ranBefore, ...(base === undefined ? {} : { base }) };
    },
  });
  const plan = {
    rooms: ports.rooms,
    parallel: request.parallelRooms ?? PARALLEL_ROOMS,
    request: {
      level,
      workspace: request.workspace,
      workDir: request.workDir,
      found: request.found,
      judged: tree,
      base: frozen.base,
      environment: frozen.environment,
      scratch: request.scratch,
      approvedDependencyChange: request.approvedDependencyChange,
    },
  };
  const outcome = await inRooms(plan, jobs, task);
  if (!outcome.ok) return outcome;
  return ok({
    verdicts: outcome.value.values.map((value) => value.verdict),
    keptEdits: outcome.value.keptEdits,
  });
}

interface Extra {
  readonly advisory: readonly CheckVerdict[];
  readonly wouldPass: readonly string[];
  readonly keptEdits: readonly string[];
}

/** What is run for information only: added tests, and failing checks without the restored paths. */
async function extraRuns(gate: Gate, verdicts: readonly CheckVerdict[]): Promise<Result<Extra>> {
  const { judged, request } = gate;
  if (judged.kind === "unusable") return ok({ advisory: [], wouldPass: [], keptEdits: [] });
  const jobsWith = (...wanted: readonly CheckVerdict["verdict"][]) =>
    gate.jobs.filter(({ check }) => {
      const verdict = verdicts.find((entry) => entry.check === check.name)?.verdict;
      return check.blocking && verdict !== undefined && wanted.includes(verdict);
    });
  const withTests = judged.withAddedTests;
  const added =
    withTests === undefined ? NOTHING : await judgeTree(gate, withTests, jobsWith("pass", "fail"), 0);
  if (!added.ok) return added;
  const probed =
    judged.touched.length === 0 ? NOTHING : await judgeTree(gate, request.found, jobsWith("fail"), 0, false);
  if (!probed.ok) return probed;
  const paths = judged.touched.join(", ");
  return ok({
    advisory: added.value.verdicts.map((verdict) => ({
      ...verdict,
      check: `${verdict.check} (with added tests)`,
      blocking: false,
    })),
    wouldPass: probed.value.verdicts.flatMap((verdict) =>
      verdict.verdict === "pass" ? [`${verdict.check}: ${paths}`] : [],
    ),
    keptEdits: [...added.value.keptEdits, ...probed.value.keptEdits],
  });
}

const NOTHING: Result<Ran> = ok({ verdicts: [], keptEdits: [] });

function unjudged(gate: Gate, job: CheckJob, why: string): CheckVerdict {
  const { name, blocking } = job.check;
  const { found } = gate.request;
  const evidence = { check: name, tree: found, judged: found, level: gate.level, durationMs: 0, tail: why };
  return {
    verdict: "fail",
    check: name,
    blocking,
    why,
    evidence: { ...evidence, report: "none", notes: ["not run"] },
  };
}

/** A change that waits for approval comes before additions that are only shown. */
function dependencyChangeOf(verdicts: readonly CheckVerdict[]): GateResult["dependencyChange"] {
  const waiting = verdicts.flatMap((verdict) =>
    verdict.verdict === "uncheckable" && verdict.problem.code === "dependency-change"
      ? [verdict.problem.message]
      : [],
  );
  if (waiting.length > 0) return { reasons: [...new Set(waiting)], needsApproval: true };
  const added = verdicts
    .flatMap((verdict) => verdict.evidence?.notes ?? [])
    .filter((note) => note.startsWith(ADDED_DEPENDENCIES));
  return added.length === 0 ? undefined : { reasons: [...new Set(added)], needsApproval: false };
}

/** A cached verdict is evidence about the same judged tree; the tree as found may differ in what was restored. */
function fromCache(verdict: CheckVerdict, found: TreeId): CheckVerdict {
  if (verdict.verdict === "uncheckable") return verdict;
  return { ...verdict, evidence: { ...verdict.evidence, tree: found, cached: true } };
}

function inOrder(frozen: FrozenGate, verdicts: readonly CheckVerdict[]): readonly CheckVerdict[] {
  return frozen.checks.flatMap((check) => verdicts.filter((verdict) => verdict.check === check.name));
}

function noted(frozen: FrozenGate, verdict: CheckVerdict): CheckVerdict {
  if (!frozen.guard || verdict.verdict === "uncheckable") return verdict;
  return { ...verdict, evidence: { ...verdict.evidence, notes: [...verdict.evidence.notes, "guard only"] } };
}
