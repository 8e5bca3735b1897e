import { ok, type Result } from "../core/result.ts";
import { readFlags } from "./flag-values.ts";
import { RUN_MEMBERS, runSession } from "./run-session.ts";
import { sessionAnswer } from "./session-view.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const loopStart: Command = {
  path: ["loop", "start"],
  group: "Loops",
  brief: "Run a loop file until its goals are satisfied",
  args: [{ name: "file", brief: "The loop file; ./loop.yaml by default", required: false }],
  flags: {
    allowUnknownCost: { kind: "boolean", brief: "Accept a cost ceiling though a provider reports no cost" },
    noWait: { kind: "boolean", brief: "At a provider's usage limit exit 75 instead of waiting" },
    level: {
      kind: "choice",
      brief: "Demand this strength of judging",
      choices: ["clean", "snapshot", "in-place"],
    },
    maxIterations: { kind: "count", brief: "Instead of the file's", placeholder: "N" },
    maxUsd: { kind: "usd", brief: "Instead of the file's", placeholder: "USD" },
    maxTime: { kind: "duration", brief: "Instead of the file's", placeholder: "TIME" },
    maxAttemptTime: { kind: "duration", brief: "Stop an attempt after this time", placeholder: "TIME" },
    maxIdle: {
      kind: "duration",
      brief: "Stop an attempt that prints nothing for so long",
      placeholder: "TIME",
    },
    dryRun: { kind: "boolean", brief: "Show what would run and what is protected, and spend nothing" },
  },
  output: sessionAnswer("loop-start", RUN_MEMBERS),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { firstProblem, readLoop } = await import("./read-loop.ts");
  const file = await readLoop(context, input);
  if (!file.ok) return file;
  if ("problems" in file.value) return { ok: false, problem: firstProblem(file.value.problems) };
  const { loopRequest } = await import("./loop-request.ts");
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const request = loopRequest(context, ports.value, input, file.value.read.loop);
  if (!request.ok) return request;
  const { prepareSession, startSession } = await import("../run/start.ts");
  const prepared = await prepareSession(ports.value, request.value);
  if (!prepared.ok) return prepared;
  const { describeFrozen } = await import("./describe-frozen.ts");
  for (const warning of file.value.read.warnings)
    context.talk(`warning: ${warning.at ?? ""} ${warning.message}`);
  for (const line of describeFrozen(prepared.value.spec)) context.talk(line);
  const flags = readFlags(input);
  if (flags.is("dryRun")) {
    await ports.value.files.discard(prepared.value.session);
    const { dryRunOutput } = await import("./dry-run.ts");
    return ok(dryRunOutput(prepared.value));
  }
  return runSession(context, ports.value, "loop-start", flags.is("noWait"), (options) =>
    startSession(ports.value, options, prepared.value),
  );
}
