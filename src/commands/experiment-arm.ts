import { fail, ok, type Result } from "../core/result.ts";
import type { Advanced } from "../run/advance.ts";
import type { RunOptions, RunPorts } from "../run/ports.ts";
import type { SessionRun } from "../run/session-run.ts";
import { openWorkspaceOf } from "../run/session-workspace.ts";
import type { Work } from "./experiment-judge.ts";
import type { PlannedPair } from "./experiment-standing.ts";
import { asFound, type FoundSession } from "./find-session.ts";
import { prepare } from "./prepare.ts";
import { runSession } from "./run-session.ts";
import type { CommandContext, CommandInput } from "./types.ts";

export interface ArmDone {
  readonly run: string;
  readonly config: string;
  /** Absent for an arm that an earlier call ran. */
  readonly session?: SessionRun;
}

export interface ArmPlan {
  readonly arm: string;
  readonly taskId: string;
  readonly pair: PlannedPair;
  /** Micro-dollars that it may spend. */
  readonly left: number | undefined;
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

/** What ends a session before its work is over: it goes on when the pair does. */
const CUT_SHORT: readonly (string | undefined)[] = ["asked", "parked", "needs-person", "problem"];

/**
 * Runs one arm, or goes on with what an earlier call left of it: its branch is that of no other session. `cut-short`
 * where it was interrupted again.
 */
export async function runArm(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  goal: string,
  plan: ArmPlan,
): Promise<Result<ArmDone | "cut-short">> {
  const branch = `experiment/${plan.pair.slate}/${plan.arm === plan.pair.first ? 1 : 2}`;
  const earlier = await sessionOfBranch(context, ports, branch);
  if (!earlier.ok) return earlier;
  const left = earlier.value?.state;
  if (left?.record !== undefined && isOver(left)) return ok({ run: left.record.run, config: plan.arm });
  let session: SessionRun | undefined;
  const begin =
    earlier.value === undefined
      ? await beginning(context, ports, input, goal, plan, branch)
      : ok(await goingOn(ports, earlier.value));
  if (!begin.ok) return begin;
  const ran = await runSession(context, ports, "experiment-run", false, async (options) => {
    const begun = await begin.value(options);
    if (begun.ok) session = begun.value.run;
    return begun;
  });
  if (!ran.ok) return ran;
  if (session !== undefined && !isOver(session.state)) return ok("cut-short");
  const run = ran.value.json["record"];
  if (typeof run !== "string") return fail("no-such-run", "the arm left no record, so the pair cannot go on");
  return ok({ run, config: plan.arm, ...(session !== undefined && { session }) });
}

type Begin = (
  options: RunOptions,
) => Promise<Result<{ readonly run: SessionRun; readonly advanced: Advanced }>>;

async function beginning(
  context: CommandContext,
  ports: RunPorts,
  input: CommandInput,
  goal: string,
  { arm, taskId, left }: ArmPlan,
  branch: string,
): Promise<Result<Begin>> {
  const { goRequest } = await import("./go-request.ts");
  const { startSession } = await import("../run/start.ts");
  const flags = {
    ...Object.fromEntries(
      ARM_FLAGS.flatMap((name) => (name in input.flags ? [[name, input.flags[name] ?? false]] : [])),
    ),
    workflow: arm,
    branch,
    ...(left !== undefined && { maxUsd: left }),
  };
  const request = await goRequest(context, ports, { input: { args: [goal], flags }, taskId });
  if (!request.ok) return request;
  const prepared = await prepare(context, ports, request.value);
  return prepared.ok ? ok((options) => startSession(ports, options, prepared.value)) : prepared;
}

async function goingOn(ports: RunPorts, { summary }: FoundSession): Promise<Begin> {
  const { resumeSession } = await import("../run/resume.ts");
  return (options) => resumeSession(ports, options, summary.session, undefined);
}

function isOver({ lifecycle, stopped }: Pick<FoundSession["state"], "lifecycle" | "stopped">): boolean {
  return lifecycle === "closed" && !CUT_SHORT.includes(stopped?.why);
}

async function sessionOfBranch(
  context: CommandContext,
  { store }: RunPorts,
  branch: string,
): Promise<Result<FoundSession | undefined>> {
  const top = await context.topLevel();
  if (!top.ok) return top;
  const here = await store.sessions({ topLevel: top.value, limit: 1000 });
  if (!here.ok) return here;
  return ok(
    here.value.map(asFound).find(({ state: { spec } }) => {
      const { delivery } = spec;
      return delivery.kind === "branch" && delivery.name === branch;
    }),
  );
}

/** The work of a run, whoever ran it; undefined where no session of ours did. */
export async function workOf(
  ports: RunPorts,
  { run, session }: Pick<ArmDone, "run" | "session">,
): Promise<Result<Work | undefined>> {
  if (session !== undefined) return ok({ run, session });
  const stored = await ports.store.run(run);
  if (!stored.ok) return stored;
  const id = stored.value?.row.session;
  const summary = id === undefined ? ok(undefined) : await ports.store.session(id);
  if (!summary.ok) return summary;
  if (summary.value === undefined) return ok(undefined);
  const { state } = asFound(summary.value);
  const workspace = await openWorkspaceOf(ports, state.spec);
  if (!workspace.ok) return workspace;
  return ok({ run, session: { session: summary.value.session, workspace: workspace.value, state } });
}
