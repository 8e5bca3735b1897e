/** Lines of Claude Code transcripts, as small as a reader needs them. */
export interface AssistantLine {
  readonly id?: string;
  readonly uuid?: string;
  readonly parent?: string | null;
  readonly session?: string;
  readonly request?: string;
  readonly ref?: string;
  readonly owner?: string;
  readonly at?: string;
  readonly model?: string;
  readonly stop?: string | null;
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly content?: readonly unknown[];
  readonly more?: Readonly<Record<string, unknown>>;
}

let serial = 0;
function fresh(): string {
  serial += 1;
  return `00000000-0000-4000-8000-${String(serial).padStart(12, "0")}`;
}

export const HOME = "/home/dev";
export const PROJECT = `${HOME}/.claude/projects/-home-dev-p`;

export function usageOf(
  input: number,
  output: number,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { input_tokens: input, output_tokens: output, ...more };
}

export function assistant(line: AssistantLine = {}): object {
  return {
    type: "assistant",
    uuid: line.uuid ?? fresh(),
    ...(line.parent === undefined ? {} : { parentUuid: line.parent }),
    ...(line.session === undefined ? {} : { sessionId: line.session }),
    ...(line.request === undefined ? {} : { requestId: line.request }),
    ...(line.ref === undefined ? {} : { requestRef: line.ref }),
    ...(line.owner === undefined ? {} : { requestSessionId: line.owner }),
    timestamp: line.at ?? "2026-11-01T10:00:00.000Z",
    isSidechain: false,
    cwd: "/home/dev/p",
    message: {
      ...(line.id === undefined ? {} : { id: line.id }),
      role: "assistant",
      model: line.model ?? "claude-opus-5-5",
      content: line.content ?? [{ type: "text", text: "text" }],
      stop_reason: line.stop === undefined ? "end_turn" : line.stop,
      usage: line.usage ?? usageOf(10, 5),
    },
    ...line.more,
  };
}

export function prompt(
  line: Pick<AssistantLine, "uuid" | "parent" | "session" | "at" | "more"> = {},
): object {
  return {
    type: "user",
    uuid: line.uuid ?? fresh(),
    parentUuid: line.parent ?? null,
    ...(line.session === undefined ? {} : { sessionId: line.session }),
    timestamp: line.at ?? "2026-11-01T09:59:00.000Z",
    isSidechain: false,
    message: { role: "user", content: "do it" },
    ...line.more,
  };
}

export function toolResult(
  tool: string,
  line: { readonly uuid?: string; readonly parent?: string } = {},
): object {
  return {
    type: "user",
    uuid: line.uuid ?? fresh(),
    parentUuid: line.parent ?? null,
    timestamp: "2026-11-01T10:00:00.500Z",
    isSidechain: false,
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: tool, content: "done" }] },
  };
}

export function costState(models: Readonly<Record<string, object>>): object {
  return { type: "cost-state", totalCostUSD: 1, modelUsage: models };
}
