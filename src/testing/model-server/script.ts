import type { TokenUsage } from "../../core/tokens.ts";

/** A tool call in terms that both APIs can carry: a shell line, or a tool by its own name. */
export type ToolCall =
  | { readonly kind: "shell"; readonly command: string }
  | { readonly kind: "named"; readonly name: string; readonly input: Readonly<Record<string, unknown>> };

/** What the server says to one model call. */
export type Reply =
  | {
      readonly kind: "answer";
      readonly text?: string;
      readonly thinking?: string;
      readonly tools?: readonly ToolCall[];
      readonly usage: TokenUsage;
      /** Answers in the name of another model than the one asked for. */
      readonly model?: string;
    }
  | {
      readonly kind: "error";
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** More members of the error object, such as a reset time. */
      readonly more?: Readonly<Record<string, unknown>>;
    }
  /** Starts a stream, says nothing further until the client leaves or the server closes. */
  | { readonly kind: "hang" };

/**
 * Replies by conversation. A prompt that holds `[t:NAME]` follows the list of that name from then on: the first call
 * gets the first reply, a call after one turn of the agent the second, and so on; the last is repeated.
 * Everything else takes from `queue`, and after that gets a short answer.
 */
export interface ServerScript {
  readonly byTag: Readonly<Record<string, readonly Reply[]>>;
  readonly queue?: readonly Reply[];
}

/** One item of a conversation as either API sends it, oldest first. */
export interface Turn {
  readonly from: "user" | "agent" | "other";
  readonly text: string;
}

export interface Picked {
  readonly reply: Reply;
  readonly tag?: string;
}

const SMALL_TALK: Reply = { kind: "answer", text: "ok", usage: { inputTokens: 100, outputTokens: 8 } };

/** Chooses replies; the queue is its only memory. */
export function createPicker(script: ServerScript): (turns: readonly Turn[]) => Picked {
  const queue = [...(script.queue ?? [])];
  return (turns) => {
    const tagged = lastTag(turns);
    const replies = tagged === undefined ? undefined : script.byTag[tagged.tag];
    if (tagged === undefined || replies === undefined) return { reply: queue.shift() ?? SMALL_TALK };
    const step = agentTurns(turns.slice(tagged.index + 1));
    return { reply: replies[Math.min(step, replies.length - 1)] ?? SMALL_TALK, tag: tagged.tag };
  };
}

function lastTag(turns: readonly Turn[]): { readonly tag: string; readonly index: number } | undefined {
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    if (turn?.from !== "user") continue;
    const tag = [...turn.text.matchAll(/\[t:([\w-]+)\]/g)].at(-1)?.[1];
    if (tag !== undefined) return { tag, index };
  }
  return undefined;
}

/** Items of the agent that follow each other (reasoning, text, tool call) are one turn. */
function agentTurns(turns: readonly Turn[]): number {
  return turns.filter((turn, at) => turn.from === "agent" && turns[at - 1]?.from !== "agent").length;
}
