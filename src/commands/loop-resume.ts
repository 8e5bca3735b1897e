import { fail, type Result } from "../core/result.ts";
import { findSession, SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { RUN_MEMBERS, runSession } from "./run-session.ts";
import { sessionAnswer } from "./session-view.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const loopResume: Command = {
  path: ["loop", "resume"],
  group: "Loops",
  brief: "Go on with a session after a crash, a stop or a limit; limits can be raised",
  args: [{ name: "session", brief: "Session id or number", required: false }],
  flags: {
    session: SESSION_FLAG,
    noWait: { kind: "boolean", brief: "At a provider's usage limit exit 75 instead of waiting" },
    maxIterations: { kind: "count", atLeast: 1, brief: "New ceiling of iterations in all", placeholder: "N" },
    maxRevisions: {
      kind: "count",
      atLeast: 1,
      brief: "Of a loop file: new ceiling of rounds that may leave the goals of a piece open",
      placeholder: "N",
    },
    maxUsd: { kind: "usd", brief: "New spend ceiling in all", placeholder: "USD" },
    maxTime: { kind: "duration", brief: "New ceiling of running time in all", placeholder: "TIME" },
    maxAttemptTime: { kind: "duration", brief: "Stop an attempt after this time", placeholder: "TIME" },
    maxIdle: {
      kind: "duration",
      brief: "Stop an attempt that prints nothing for so long",
      placeholder: "TIME",
    },
  },
  output: sessionAnswer("loop-resume", RUN_MEMBERS),
  run,
};

/** Ceilings that only a person raises. */
const CEILINGS = ["maxIterations", "maxRevisions", "maxUsd", "maxTime", "maxAttemptTime", "maxIdle"];

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  if (context.insideAttempt && CEILINGS.some((name) => input.flags[name] !== undefined)) {
    return fail("person-only", "an attempt cannot raise the limits of a session");
  }
  const { limitsOf } = await import("./go-request.ts");
  const { resumeSession } = await import("../run/resume.ts");
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const flags = readFlags(input);
  const named = flags.text("session") ?? input.args[0];
  const found = await findSession(context, ports.value.store, named, named !== undefined);
  if (!found.ok) return found;
  const { summary, state } = found.value;
  const raised = limitsOf(input, state.limits);
  return runSession(context, ports.value, "loop-resume", flags.is("noWait"), (options) =>
    resumeSession(ports.value, options, summary.session, raised),
  );
}
