import { SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { inboxAnswer, submit } from "./inbox-command.ts";
import type { Command } from "./types.ts";

export const stop: Command = {
  path: ["stop"],
  group: "Loops",
  brief: "Stop a running session at a safe boundary",
  args: [],
  flags: {
    session: SESSION_FLAG,
    force: { kind: "boolean", brief: "End the running agents at once" },
  },
  output: inboxAnswer("stop"),
  run: (context, input) =>
    submit(context, input, "stop", "stop", { force: readFlags(input).is("force"), by: "loopwright stop" }),
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
