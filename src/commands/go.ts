import { ok, type Result } from "../core/result.ts";
import { DRY_RUN } from "./dry-run.ts";
import type { Advised } from "./go-advice.ts";
import { prepare } from "./prepare.ts";
import { RUN_MEMBERS, runSession } from "./run-session.ts";
import { either } from "./schema.ts";
import { TYPE_FLAG } from "./session-task.ts";
import { sessionAnswer } from "./session-view.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";
import { LEVEL_FLAG, THREAT_FLAG, WORKFLOW_FLAGS } from "./workflow-flags.ts";

/** `loopwright go`: the main job in one line. */
export const go: Command = {
  path: ["go"],
  group: "Start",
  brief: "Run an agent in a loop until your checks pass",
  details:
    "Needs one --check at least: a command that exits 0 when the goal is reached and fails today. Only the checks decide. GOAL may be left out with --goal-file.",
  args: [{ name: "goal", brief: "What shall be reached, in a sentence", required: false }],
  flags: {
    check: {
      kind: "text",
      brief: "Command that must exit 0; repeatable",
      placeholder: "CMD",
      repeatable: true,
    },
    goalFile: {
      kind: "text",
      brief: "Read the goal from a file, or - for standard input",
      placeholder: "FILE",
    },
    provider: {
      kind: "text",
      brief:
        "claude-code or codex, each also with :MODEL or :MODEL:EFFORT; command:CMDLINE; the first that is installed by default",
      placeholder: "PROVIDER",
    },
    ...WORKFLOW_FLAGS,
    recommended: {
      kind: "boolean",
      brief: "Insist on the way that recommend picks; without it, it is offered on a terminal",
    },
    type: TYPE_FLAG,
    protect: {
      kind: "text",
      brief: "Also protect these paths from the agent; repeatable",
      placeholder: "GLOB",
      repeatable: true,
    },
    unprotect: {
      kind: "text",
      brief: "Do not protect these paths; repeatable",
      placeholder: "GLOB",
      repeatable: true,
    },
    allowTests: { kind: "boolean", brief: "Tests that the agent adds count" },
    level: LEVEL_FLAG,
    threat: THREAT_FLAG,
    guard: {
      kind: "boolean",
      brief: "The checks pass already and shall stay so; the work must change something",
    },
    ifNeeded: { kind: "boolean", brief: "Stop with success when the checks pass already" },
    checkEnv: { kind: "text", brief: "File of environment variables for the checks", placeholder: "FILE" },
    flakyRetries: {
      kind: "count",
      brief: "Run a failing check again this often on the same files",
      placeholder: "N",
    },
    allowUnknownCost: { kind: "boolean", brief: "Accept --max-usd though the provider reports no cost" },
    noWait: { kind: "boolean", brief: "At a provider's usage limit exit 75 instead of waiting" },
    maxIterations: { kind: "count", atLeast: 1, brief: "Stop after this many tries (10)", placeholder: "N" },
    maxUsd: { kind: "usd", brief: "Stop when this much is spent", placeholder: "USD" },
    maxTime: { kind: "duration", brief: "Stop after this running time (4h)", placeholder: "TIME" },
    maxAttemptTime: { kind: "duration", brief: "Stop an attempt after this time (60m)", placeholder: "TIME" },
    maxIdle: {
      kind: "duration",
      brief: "Stop an attempt that prints nothing for so long (15m)",
      placeholder: "TIME",
    },
    worktree: { kind: "boolean", brief: "Work in a separate worktree and merge back at the end" },
    commit: { kind: "boolean", brief: "Commit the result on the current branch" },
    branch: {
      kind: "text",
      brief: "Put the result on a new branch instead of into your files",
      placeholder: "NAME",
    },
    fullAccess: { kind: "boolean", brief: "Start the agent without its own permission checks; recorded" },
    dryRun: { kind: "boolean", brief: "Show what would run and what is protected, and spend nothing" },
  },
  output: either(sessionAnswer("go", RUN_MEMBERS), DRY_RUN),
  run: go_,
};

async function go_(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { goRequest } = await import("./go-request.ts");
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const way = await advised(context, input);
  if (!way.ok) return way;
  const request = await goRequest(context, ports.value, way.value);
  if (!request.ok) return request;
  const { startSession } = await import("../run/start.ts");
  const prepared = await prepare(context, ports.value, request.value);
  if (!prepared.ok) return prepared;
  const { describeFrozen } = await import("./describe-frozen.ts");
  for (const line of describeFrozen(prepared.value.spec)) context.talk(line);
  if (input.flags["dryRun"] === true) {
    await ports.value.files.discard(prepared.value.session);
    const { dryRunOutput } = await import("./dry-run.ts");
    return ok(dryRunOutput(prepared.value));
  }
  return runSession(context, ports.value, "go", input.flags["noWait"] === true, (options) =>
    startSession(ports.value, options, prepared.value),
  );
}

/** The planner is loaded only where it may have something to say. */
async function advised(context: CommandContext, input: CommandInput): Promise<Result<Advised>> {
  const { advise } = await import("./go-advice.ts");
  return advise(context, input, input.args[0]);
}
