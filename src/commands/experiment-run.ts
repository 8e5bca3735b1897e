import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { OcpDocument, OcpSlate } from "../formats/ocp/index.ts";
import type { RunPorts } from "../run/ports.ts";
import { type ArmDone, runArm } from "./experiment-arm.ts";
import { ledger, type Spent } from "./experiment-money.ts";
import { type Judge, judgeOf, judgePair } from "./experiment-preference.ts";
import {
  checkCosts,
  exitOfVerdict,
  type PlannedPair,
  pairPlan,
  standing,
  type Test,
  testOf,
} from "./experiment-standing.ts";
import { readFlags } from "./flag-values.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

/**
 * Runs the next planned pairs: both arms on one goal from one commit, each in a worktree of its own, in the order of the
 * plan. A pair that was cut short goes on where it was, and is judged if a judge is named. Stops when the test has decided,
 * when `--count` pairs are done, when an arm is interrupted, or before the budget could be exceeded.
 */
export async function runPairs(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const goal = input.args[0];
  if (goal === undefined) return fail("missing-goal", "say what both arms shall reach, in a sentence");
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const flags = readFlags(input);
  const arms = [flags.text("base"), flags.text("candidate")].flatMap((arm) => arm ?? []);
  const judge = await judgeOf(context, ports.value, input, arms);
  if (!judge.ok) return judge;
  const count = flags.count("count") ?? 1;
  const pairs: {
    readonly slate: string;
    readonly runs: readonly ArmDone[];
    readonly preferred: string | null;
  }[] = [];
  let stopped: string | undefined;
  while (pairs.length < count) {
    const test = await testOf(context, input);
    if (!test.ok) return test;
    const costs = checkCosts(test.value);
    if (!costs.ok) return costs;
    if (standing(test.value).verdict.kind !== "undecided") {
      stopped = "decided";
      break;
    }
    const money = await ledger(ports.value.store, pairPlan(test.value), flags.count("budget"));
    if (!money.ok) return money;
    if (money.value.isShort) {
      stopped = "budget";
      break;
    }
    const next = await openPair(ports.value, test.value, judge.value !== undefined);
    if (!next.ok) return next;
    const done = await runPair(context, ports.value, input, goal, next.value, {
      ...money.value,
      ...(judge.value !== undefined && { judge: judge.value }),
    });
    if (!done.ok) return done;
    if (done.value === "cut-short") {
      stopped = "interrupted";
      break;
    }
    pairs.push({ slate: next.value.slate, ...done.value });
  }
  const test = await testOf(context, input);
  if (!test.ok) return test;
  const { view, verdict } = standing(test.value);
  return ok({
    exit: exitOfVerdict(verdict),
    json: {
      schema: "loopwright.experiment-run/1",
      ok: true,
      ...view,
      ran: pairs.map(({ slate, runs, preferred }) => ({
        slate,
        runs: runs.map(({ run, config }) => ({ run, config })),
        preferred,
      })),
      stopped: stopped ?? null,
    },
  });
}

interface OpenPair extends PlannedPair {
  readonly done: readonly ArmDone[];
  readonly slateKnown?: OcpSlate;
  readonly taskId?: string;
}

/** The first planned pair that lacks an arm; before it the one just complete, where a judge was not asked any more. */
async function openPair({ store }: RunPorts, test: Test, wantsJudge: boolean): Promise<Result<OpenPair>> {
  let before: OpenPair | undefined;
  for (const pair of pairPlan(test)) {
    const rows = await store.runs({ slate: pair.slate });
    if (!rows.ok) return rows;
    const done = rows.value.map(({ run, configuration = "" }) => ({ run, config: configuration }));
    if ([pair.first, pair.second].every((arm) => done.some(({ config }) => config === arm))) {
      before = { ...pair, done };
      continue;
    }
    const unjudged = wantsJudge && before !== undefined ? await isUnjudged(store, before) : ok(false);
    if (!unjudged.ok) return unjudged;
    if (unjudged.value && before !== undefined) return ok(before);
    const [first] = done;
    if (first === undefined) return ok({ ...pair, done });
    const { readRun } = await import("../record/index.ts");
    const known = await readRun(store, first.run);
    if (!known.ok) return known;
    const { slate, task } = known.value.document.run;
    return ok({ ...pair, done, ...(slate && { slateKnown: slate }), ...(task && { taskId: task.id }) });
  }
  return fail("bad-flag", "every planned pair has run", { hint: "see `loopwright experiment decide`" });
}

/** Neither preferred nor charged for a judge. */
async function isUnjudged(store: RunPorts["store"], { done }: OpenPair): Promise<Result<boolean>> {
  const { judgeCost, readRun } = await import("../record/index.ts");
  for (const { run } of done) {
    const known = await readRun(store, run);
    if (!known.ok) return known;
    const { document } = known.value;
    const { basis, unknownParts } = judgeCost(document);
    const isCharged = basis !== undefined || unknownParts > 0;
    if (isCharged || (document.run.preferences ?? []).length > 0) return ok(false);
  }
  return ok(true);
}

async function runPair(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  goal: string,
  pair: OpenPair,
  { leftMicroUsd, judge }: Spent & { readonly judge?: Judge },
): Promise<Result<{ readonly runs: readonly ArmDone[]; readonly preferred: string | null } | "cut-short">> {
  const taskId = pair.taskId ?? makeId("task", context.now(), context.entropy(10));
  const runs: ArmDone[] = [...pair.done];
  let slate = pair.slateKnown;
  let left = leftMicroUsd;
  for (const arm of [pair.first, pair.second]) {
    if (runs.some(({ config }) => config === arm)) continue;
    context.talk(`pair ${pair.pair}: ${arm === pair.first ? "first" : "second"} arm`);
    const done = await runArm(context, ports, input, goal, { arm, taskId, pair, left });
    if (!done.ok) return done;
    if (done.value === "cut-short") return ok("cut-short");
    runs.push(done.value);
    const joined = await joinPair(ports, pair.slate, slate, runs);
    if (!joined.ok) return joined;
    slate = joined.value.slate;
    if (left !== undefined) left = Math.max(0, left - joined.value.lastMicroUsd);
  }
  const preferred = await judgePair(context, ports, judge, goal, pair.slate, runs);
  return preferred.ok ? ok({ runs, preferred: preferred.value }) : preferred;
}

/** Puts the runs into one slate; each says why it ran. */
async function joinPair(
  { store }: RunPorts,
  id: string,
  known: OcpSlate | undefined,
  runs: readonly ArmDone[],
): Promise<Result<{ readonly slate: OcpSlate; readonly lastMicroUsd: number }>> {
  const { changeRun, readRun } = await import("../record/index.ts");
  const last = runs.at(-1);
  const newest = await readRun(store, last?.run ?? "");
  if (!newest.ok) return newest;
  const base = newest.value.document.run.task?.base_commit;
  if (known?.base_commit !== undefined && known.base_commit !== base) {
    return fail(
      "bad-input",
      `the pair ${id} began at ${known.base_commit}, and this arm at ${base ?? "no commit"}`,
      {
        hint: "check that commit out to complete the pair",
      },
    );
  }
  const members = runs.map(({ run }) => run);
  const slate: OcpSlate = {
    id,
    members,
    isolated: true,
    blinded: true,
    ...(base !== undefined && { base_commit: base }),
  };
  for (const { run } of runs) {
    const changed = await changeRun(store, run, (document) => ok(inSlate(document, slate)));
    if (!changed.ok) return changed;
  }
  return ok({ slate, lastMicroUsd: newest.value.row.costMicroUsd });
}

function inSlate(document: OcpDocument, slate: OcpSlate): OcpDocument {
  const { run, producer } = document;
  const configuration = run.configuration && { ...run.configuration, source: "exploration" as const };
  return {
    ...document,
    producer: { ...producer, capabilities: { ...producer.capabilities, slate: true } },
    run: { ...run, slate, ...(configuration && { configuration }) },
  };
}
