import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { OcpDocument, OcpSlate } from "../formats/ocp/index.ts";
import type { RunPorts } from "../run/ports.ts";
import type { SessionRun } from "../run/session-run.ts";
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
import { prepare } from "./prepare.ts";
import { runSession } from "./run-session.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

interface ArmDone {
  readonly run: string;
  readonly config: string;
  /** Absent for an arm that an earlier call ran. */
  readonly session?: SessionRun;
}

/**
 * Runs the next planned pairs: both arms on one goal from one commit, each in a worktree of its own, in the order of the
 * plan. A pair that was cut short goes on with the arm that is missing. Stops when the test has decided, when `--count`
 * pairs are done, or before the budget could be exceeded.
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
    const next = await openPair(ports.value, test.value);
    if (!next.ok) return next;
    const done = await runPair(context, ports.value, input, goal, next.value, {
      ...money.value,
      ...(judge.value !== undefined && { judge: judge.value }),
    });
    if (!done.ok) return done;
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

/** The first planned pair that lacks an arm. */
async function openPair({ store }: RunPorts, test: Test): Promise<Result<OpenPair>> {
  const { readRun } = await import("../record/index.ts");
  for (const pair of pairPlan(test)) {
    const rows = await store.runs({ slate: pair.slate });
    if (!rows.ok) return rows;
    const done = rows.value.map(({ run, configuration = "" }) => ({ run, config: configuration }));
    if ([pair.first, pair.second].every((arm) => done.some(({ config }) => config === arm))) continue;
    const [first] = done;
    if (first === undefined) return ok({ ...pair, done });
    const known = await readRun(store, first.run);
    if (!known.ok) return known;
    const { slate, task } = known.value.document.run;
    return ok({ ...pair, done, ...(slate && { slateKnown: slate }), ...(task && { taskId: task.id }) });
  }
  return fail("bad-flag", "every planned pair has run", { hint: "see `loopwright experiment decide`" });
}

async function runPair(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  goal: string,
  pair: OpenPair,
  { leftMicroUsd, judge }: Spent & { readonly judge?: Judge },
): Promise<Result<{ readonly runs: readonly ArmDone[]; readonly preferred: string | null }>> {
  const taskId = pair.taskId ?? makeId("task", context.now(), context.entropy(10));
  const runs: ArmDone[] = [...pair.done];
  let slate = pair.slateKnown;
  let left = leftMicroUsd;
  for (const arm of [pair.first, pair.second]) {
    if (runs.some(({ config }) => config === arm)) continue;
    context.talk(`pair ${pair.pair}: ${arm === pair.first ? "first" : "second"} arm`);
    const done = await runArm(context, ports, input, goal, { arm, taskId, pair, left });
    if (!done.ok) return done;
    runs.push(done.value);
    const joined = await joinPair(ports, pair.slate, slate, runs);
    if (!joined.ok) return joined;
    slate = joined.value.slate;
    if (left !== undefined) left = Math.max(0, left - joined.value.lastMicroUsd);
  }
  const preferred = await judgePair(context, ports, judge, goal, pair.slate, runs);
  return preferred.ok ? ok({ runs, preferred: preferred.value }) : preferred;
}

async function runArm(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  goal: string,
  one: {
    readonly arm: string;
    readonly taskId: string;
    readonly pair: PlannedPair;
    readonly left: number | undefined;
  },
): Promise<Result<ArmDone>> {
  const { goRequest } = await import("./go-request.ts");
  const { startSession } = await import("../run/start.ts");
  const place = one.arm === one.pair.first ? 1 : 2;
  const flags = {
    ...Object.fromEntries(
      ARM_FLAGS.flatMap((name) => (name in input.flags ? [[name, input.flags[name] ?? false]] : [])),
    ),
    workflow: one.arm,
    branch: `experiment/${one.pair.slate}/${place}`,
    ...(one.left !== undefined && { maxUsd: one.left }),
  };
  const request = await goRequest(context, ports, { input: { args: [goal], flags }, taskId: one.taskId });
  if (!request.ok) return request;
  const prepared = await prepare(context, ports, request.value);
  if (!prepared.ok) return prepared;
  let session: SessionRun | undefined;
  const ran = await runSession(context, ports, "experiment-run", false, async (options) => {
    const begun = await startSession(ports, options, prepared.value);
    if (begun.ok) session = begun.value.run;
    return begun;
  });
  if (!ran.ok) return ran;
  const run = ran.value.json["record"];
  if (typeof run !== "string") return fail("no-such-run", "the arm left no record, so the pair cannot go on");
  return ok({ run, config: one.arm, ...(session !== undefined && { session }) });
}

/** What an arm takes over from the flags; everything else follows from its configuration. */
const ARM_FLAGS = [
  "check",
  "type",
  "protect",
  "unprotect",
  "allowTests",
  "checkEnv",
  "maxTime",
  "sameFamily",
];

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
