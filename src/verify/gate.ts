import { ok, type Result } from "../core/result.ts";
import type { TreeId } from "../ports/workspace.ts";
import { isCacheable, verdictKey } from "./check-cache.ts";
import { few } from "./compare-tests.ts";
import { extraRuns } from "./extra-runs.ts";
import { baselineOf, baseTestsOf, jobsOf, readBaseFacts } from "./jobs.ts";
import { ADDED_DEPENDENCIES } from "./judge-run.ts";
import { type Gate, type GatePorts, type GateRequest, judgeTree, type Ran } from "./judge-tree.ts";
import { composeJudged, type Judged, planJudgedTree, reportPaths } from "./judged-tree.ts";
import { outwardLinks } from "./outward-links.ts";
import { pureVerdicts } from "./pure-verdicts.ts";
import type { CheckJob } from "./run-check.ts";
import { assessTargets } from "./targets.ts";
import type { CheckVerdict, FrozenGate, GateResult } from "./types.ts";

export type { GatePorts, GateRequest };

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
  const prepared = await prepareGate(ports, frozen, request);
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

/** What follows from what was frozen and found before anything runs. */
export async function prepareGate(
  ports: GatePorts,
  frozen: FrozenGate,
  request: GateRequest,
): Promise<Result<Gate>> {
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
  const undone = new Set([...plan.restore, ...plan.omit]);
  const left = changes.value.map((change) => change.path).filter((path) => !undone.has(path));
  const outward = await outwardLinks(workspace, found, entries.value, left);
  if (!outward.ok) return outward;
  return ok({
    ports,
    frozen,
    request,
    facts: facts.value,
    jobs,
    judged: outward.value.length > 0 ? ledOut(outward.value, judged.value) : judged.value,
    needsApproval: plan.needsApproval,
    view: { workspace, tree: found, entries: entries.value, changes: changes.value },
    level: frozen.level ?? baseline.level,
  });
}

function ledOut(links: readonly string[], { touched }: Judged): Judged {
  return { kind: "unusable", why: `links out of the tree cannot be judged: ${few(links)}`, touched };
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
