import { SESSION_FLAG } from "./find-session.ts";
import { inboxAnswer, submit } from "./inbox-command.ts";
import type { Command } from "./types.ts";

export const update: Command = {
  path: ["update"],
  group: "Loops",
  brief: "Tell the next attempt something",
  args: [{ name: "text", brief: "What the next attempt shall know", required: true }],
  flags: { session: SESSION_FLAG },
  output: inboxAnswer("update"),
  run: (context, input) => submit(context, input, "update", "update", { text: input.args[0] ?? "" }),
};
