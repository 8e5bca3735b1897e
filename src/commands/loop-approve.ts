import { SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { inboxAnswer, submit } from "./inbox-command.ts";
import { personHere } from "./person.ts";
import type { Command } from "./types.ts";

export const loopApprove: Command = {
  path: ["loop", "approve"],
  group: "Loops",
  brief: "Answer the question that a session waits for",
  args: [],
  flags: {
    session: SESSION_FLAG,
    refuse: { kind: "boolean", brief: "Say no: the session fails" },
  },
  output: inboxAnswer("loop-approve"),
  personOnly: true,
  run: (context, input) =>
    submit(context, input, "loop approve", "approve", {
      refuse: readFlags(input).is("refuse"),
      by: personHere(context),
    }),
};
