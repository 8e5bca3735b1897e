import type { Problem } from "../core/result.ts";
import type { InboxCommand } from "../ports/store.ts";
import type { Change } from "./chain.ts";
import type { SessionEvent } from "./events.ts";
import { movesTo } from "./moves.ts";
import type { SessionRun } from "./session-run.ts";
import type { SessionState } from "./state.ts";

/** What other processes may ask of the one that holds a session. */
export const COMMAND_KINDS = ["stop", "update", "approve"] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

/** Validates what waits in the inbox and answers each in the chain, once. */
export async function handleInbox(run: SessionRun): Promise<void> {
  const pending = await run.ports.store.pendingCommands(run.session);
  if (!pending.ok) return;
  for (const command of pending.value) {
    await run.chain.commit((state) => answer(state, command));
  }
}

function answer(state: SessionState, command: InboxCommand): Change {
  const answered = [command.id];
  if (state.handledCommands.includes(command.id)) return { events: [], answered };
  const refusal = refuse(state, command);
  if (refusal !== undefined) {
    const data = { command: command.id, kind: command.kind, problem: refusal };
    return { events: [{ type: "command:refused", data }], answered };
  }
  const accepted: SessionEvent = {
    type: "command:accepted",
    data: { command: command.id, kind: command.kind, payload: command.payload },
  };
  return { events: [accepted, ...consequences(state, command)], answered };
}

function refuse(state: SessionState, command: InboxCommand): Problem | undefined {
  switch (command.kind as CommandKind) {
    case "stop":
      return undefined;
    case "update":
      return typeof command.payload["text"] === "string" && command.payload["text"].trim() !== ""
        ? undefined
        : { code: "bad-input", message: "an update needs a text" };
    case "approve":
      return state.question === undefined
        ? {
            code: "not-waiting",
            message: "this session waits for no approval",
            hint: "see `loopwright status`",
          }
        : undefined;
    default:
      return { code: "unknown-command", message: `no such command: ${command.kind}` };
  }
}

function consequences(state: SessionState, command: InboxCommand): SessionEvent[] {
  if (command.kind !== "approve" || state.question === undefined) return [];
  const answerGiven = command.payload["refuse"] === true ? "refuse" : "approve";
  const by = String(command.payload["by"] ?? "a person");
  const moves =
    state.lifecycle === "awaiting_approval" ? movesTo(state.lifecycle, "running", "answered") : [];
  return [{ type: "person:answered", data: { id: state.question.id, answer: answerGiven, by } }, ...moves];
}

/** A stop that this process was asked for directly (a signal), through the same door as the inbox. */
export async function requestStop(run: SessionRun, how: "boundary" | "force", by: string): Promise<void> {
  await run.chain.commit((state) => ({
    events: [
      {
        type: "command:accepted",
        data: {
          command: `${by}-${state.handledCommands.length}`,
          kind: "stop",
          payload: { force: how === "force", by },
        },
      },
    ],
  }));
}
