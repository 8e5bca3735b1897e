import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { findSession, SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { inboxAnswer, submit } from "./inbox-command.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const stop: Command = {
  path: ["stop"],
  group: "Loops",
  brief: "Stop a running session at a safe boundary, or close one whose process died",
  args: [],
  flags: {
    session: SESSION_FLAG,
    force: { kind: "boolean", brief: "End the running agents at once" },
  },
  output: inboxAnswer("stop"),
  run: stopSession,
};

export const loopPause: Command = {
  ...stop,
  path: ["loop", "pause"],
  brief: "Let the running attempt end, then pause the session",
  flags: { session: SESSION_FLAG },
  output: inboxAnswer("loop-pause"),
  run: (context, input) =>
    submit(context, input, "loop pause", "stop", { force: false, by: "loopwright loop pause" }),
};

async function stopSession(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const force = readFlags(input).is("force");
  const asked = await submit(context, input, "stop", "stop", { force, by: "loopwright stop" });
  if (!asked.ok || asked.value.json["live"] === true) return asked;
  return closeDead(context, input, asked.value);
}

/** Nobody will read the inbox: the session is taken over, made whole and closed here. */
async function closeDead(
  context: CommandContext,
  input: CommandInput,
  asked: CommandOutput,
): Promise<Result<CommandOutput>> {
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const found = await findSession(context, ports.value.store, readFlags(input).text("session"), false);
  if (!found.ok) return found;
  const { resumeSession } = await import("../run/resume.ts");
  const closed = await resumeSession(
    ports.value,
    { waitWhenParked: false },
    found.value.summary.session,
    undefined,
  );
  return closed.ok ? ok({ exit: ExitCode.ok, json: asked.json }) : closed;
}
