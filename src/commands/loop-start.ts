import { sha256 } from "../core/hash.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { RunPorts } from "../run/ports.ts";
import type { Prepared, StartRequest } from "../run/start.ts";
import type { TrialPlan } from "../verify/experiments/loop-trials.ts";
import { DRY_RUN } from "./dry-run.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import type { Advised } from "./go-advice.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { prepare } from "./prepare.ts";
import { RUN_MEMBERS, runSession } from "./run-session.ts";
import { either } from "./schema.ts";
import { TYPE_FLAG } from "./session-task.ts";
import { sessionAnswer } from "./session-view.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";
import { LEVEL_FLAG, THREAT_FLAG, WORKFLOW_FLAGS } from "./workflow-flags.ts";

export const loopStart: Command = {
  path: ["loop", "start"],
  group: "Loops",
  brief: "Run a loop file or a workflow until its goals are satisfied",
  details:
    "With --workflow there is no loop file: the goal comes from --goal or --goal-file, the bar from --check, as in `go`. Without either, a recommendation that is taken says how to work.",
  args: [LOOP_FILE_ARG],
  flags: {
    ...WORKFLOW_FLAGS,
    type: TYPE_FLAG,
    goal: { kind: "text", brief: "With --workflow: what shall be reached", placeholder: "TEXT" },
    goalFile: { kind: "text", brief: "With --workflow: read the goal from a file", placeholder: "FILE" },
    check: {
      kind: "text",
      brief: "With --workflow: command that must exit 0; repeatable",
      placeholder: "CMD",
      repeatable: true,
    },
    allowUnknownCost: { kind: "boolean", brief: "Accept a cost ceiling though a provider reports no cost" },
    noWait: { kind: "boolean", brief: "At a provider's usage limit exit 75 instead of waiting" },
    level: LEVEL_FLAG,
    threat: THREAT_FLAG,
    maxIterations: { kind: "count", atLeast: 1, brief: "Instead of the file's", placeholder: "N" },
    maxUsd: { kind: "usd", brief: "Instead of the file's", placeholder: "USD" },
    maxTime: { kind: "duration", brief: "Instead of the file's", placeholder: "TIME" },
    maxAttemptTime: { kind: "duration", brief: "Stop an attempt after this time", placeholder: "TIME" },
    maxIdle: {
      kind: "duration",
      brief: "Stop an attempt that prints nothing for so long",
      placeholder: "TIME",
    },
    export: { kind: "boolean", brief: "On success write what `loop export` writes" },
    dryRun: { kind: "boolean", brief: "Show what would run and what is protected, and spend nothing" },
  },
  output: either(sessionAnswer("loop-start", RUN_MEMBERS), DRY_RUN),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const made = await requestOf(context, input);
  if (!made.ok) return made;
  const { ports, request } = made.value;
  const { startSession } = await import("../run/start.ts");
  const prepared = await prepare(context, ports, request);
  if (!prepared.ok) return prepared;
  const { describeFrozen } = await import("./describe-frozen.ts");
  for (const line of describeFrozen(prepared.value.spec)) context.talk(line);
  const flags = readFlags(input);
  if (flags.is("dryRun")) {
    await ports.files.discard(prepared.value.session);
    const { dryRunOutput } = await import("./dry-run.ts");
    return ok(dryRunOutput(prepared.value));
  }
  const kept = await keepBefore(ports, prepared.value, made.value);
  if (!kept.ok) return kept;
  const ran = await runSession(context, ports, "loop-start", flags.is("noWait"), (options) =>
    startSession(ports, options, prepared.value),
  );
  if (flags.is("export") && ran.ok && ran.value.exit === ExitCode.ok)
    await exportSuccess(context, ports, prepared.value.session);
  return ran;
}

/** What cannot be written takes nothing from the success. */
async function exportSuccess(context: CommandContext, { store }: RunPorts, session: string): Promise<void> {
  const { exportSession } = await import("./loop-export.ts");
  const done = await exportSession(context, store, session);
  context.talk(
    done.ok ? `wrote ${String(done.value.json["folder"])}` : `nothing exported: ${done.problem.message}`,
  );
}

/** What has to outlive the session's first step. */
async function keepBefore(
  { store, clock }: RunPorts,
  { spec, session }: Prepared,
  { source, trial }: Requested,
): Promise<Result<unknown>> {
  const kept = source === undefined ? ok(undefined) : await store.putBlob(source);
  if (!kept.ok || trial === undefined) return kept;
  const { change, pair, arm } = trial;
  const of = {
    topLevel: spec.topLevel,
    loop: spec.title,
    kind: "trial",
    key: change,
    part: session,
  } as const;
  return store.changeLoopRecords({ put: [{ ...of, at: instant(clock.now()), document: { pair, arm } }] });
}

interface Requested {
  readonly ports: RunPorts;
  readonly request: StartRequest;
  /** The text of the loop file. */
  readonly source?: string;
  /** Of a loop that explores: which half of which pair this run is. */
  readonly trial?: TrialPlan;
}

async function requestOf(context: CommandContext, input: CommandInput): Promise<Result<Requested>> {
  if (readFlags(input).text("workflow") !== undefined) return fromWorkflow(context, { input });
  const hasGoal = input.flags["goal"] !== undefined || input.flags["goalFile"] !== undefined;
  if (input.args[0] !== undefined || !hasGoal) return fromLoop(context, input);
  const { advise } = await import("./go-advice.ts");
  const advised = await advise(context, input, readFlags(input).text("goal"));
  if (!advised.ok) return advised;
  return advised.value.followed === undefined
    ? fromLoop(context, input)
    : fromWorkflow(context, advised.value);
}

async function fromLoop(context: CommandContext, input: CommandInput): Promise<Result<Requested>> {
  const stray = ["goal", "goalFile", "check", "set", "sameFamily"].find(
    (name) => input.flags[name] !== undefined,
  );
  if (stray !== undefined)
    return fail(
      "bad-flag",
      `--${stray} needs --workflow, or a recommendation that is taken; a loop file states its own`,
    );
  const { readValidLoop } = await import("./read-loop.ts");
  const file = await readValidLoop(context, input);
  if (!file.ok) return file;
  const { checkSupport, saidBeforeStart } = await import("./loop-support.ts");
  const { read, loop } = file.value;
  const refused = checkSupport(read, loop);
  if (refused !== undefined) return { ok: false, problem: refused };
  const { exploring } = await import("./explore-skills.ts");
  const explored = await exploring(context, loop);
  if (!explored.ok) return explored;
  const { attachSkills } = await import("./loop-skills.ts");
  const skilled = await attachSkills(context, explored.value.loop);
  const { concurrencyOf, loopRequest } = await import("./loop-request.ts");
  const { forecastLoop } = await import("./loop-history.ts");
  const forecast = await forecastLoop(context, { ...loop, pieces: skilled.pieces }, concurrencyOf(loop));
  if (!forecast.ok) return forecast;
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const { containerLines } = await import("./loop-containers.ts");
  const contained = await containerLines(ports.value.containers, loop);
  if (!contained.ok) return contained;
  const { pieces, plan, lines } = forecast.value;
  const { sessionMemory } = await import("./loop-memory.ts");
  const memory = await sessionMemory(context, loop);
  if (!memory.ok) return memory;
  const source = { path: file.value.path, digest: sha256(file.value.text) };
  const planned = { loop: { ...loop, pieces }, workers: plan.scheduledWorkers, memory: memory.value, source };
  const request = loopRequest(context, ports.value, input, planned);
  if (!request.ok) return request;
  const said = [
    ...saidBeforeStart(read, loop),
    ...explored.value.lines,
    ...skilled.lines,
    ...contained.value,
    ...lines,
  ];
  for (const line of said) context.talk(line);
  const { trial } = explored.value;
  const start = { ports: ports.value, request: request.value, source: file.value.text };
  return ok({ ...start, ...(trial !== undefined && { trial }) });
}

/** A workflow has neither goal nor bar of its own. */
async function fromWorkflow(
  context: CommandContext,
  { input, followed }: Advised,
): Promise<Result<Requested>> {
  if (input.args[0] !== undefined) return fail("bad-flag", "give a loop file or --workflow, not both");
  const { goRequest } = await import("./go-request.ts");
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const goal = readFlags(input).text("goal");
  const flags = { ...input.flags, ifNeeded: true };
  const request = await goRequest(context, ports.value, {
    input: { flags, args: goal === undefined ? [] : [goal] },
    ...(followed !== undefined && { followed }),
  });
  return request.ok ? ok({ ports: ports.value, request: request.value }) : request;
}
