import type { AgentStream, FinishedStream, SpentBefore } from "../../ports/agent-stream.ts";
import type { ModelUsage, ProviderEvent, UsageReport } from "../../ports/provider.ts";
import { UNKNOWN_MODEL } from "../call.ts";
import { growth, hasGrown } from "../cumulative.ts";
import { type Fields, fields, optional, text } from "../fields.ts";
import { cut, StreamLines } from "../stream-lines.ts";

/** The protocol's code for an agent that wants a login. */
const AUTH_REQUIRED = -32000;
const KEPT_CHARS = 64 * 1024;

/** Reads what our bridge to agents of the Agent Client Protocol prints: their updates, and how the turn ended. */
export function acpStream(model?: string): AgentStream {
  return new AcpStream(model);
}

class AcpStream implements AgentStream {
  readonly #lines = new StreamLines((line) => this.#take(line));
  readonly #model: string;
  #events: ProviderEvent[] = [];
  #session: string | undefined;
  #words = "";
  #isNewMessage = true;
  #stop: string | undefined;
  #error: string | undefined;
  #errorCode: unknown;
  #usage: ModelUsage | undefined;
  #costMicroUsd: number | undefined;

  constructor(model: string | undefined) {
    this.#model = model ?? UNKNOWN_MODEL;
  }

  push(chunk: Uint8Array): readonly ProviderEvent[] {
    this.#lines.push(chunk);
    return this.#events.splice(0);
  }

  finish(): FinishedStream {
    this.#lines.finish();
    const isError = this.#stop !== "end_turn";
    const stopped = this.#stop === undefined ? undefined : `the agent stopped: ${this.#stop}`;
    const error = isError ? (this.#error ?? stopped) : undefined;
    return {
      ...optional("session", this.#session),
      summary: cut(this.#words.trim()),
      isError,
      ...optional("errorStatus", this.#errorCode === AUTH_REQUIRED ? 401 : undefined),
      ...optional("errorText", error === undefined ? undefined : cut(error)),
      ...optional("terminalReason", this.#stop),
      perModel: this.#spent(),
      sawResult: this.#stop !== undefined,
    };
  }

  /** Costs are the session's so far, tokens the turn's: a session that was resumed has its cost taken apart. */
  attributable({ perModel }: FinishedStream, before: SpentBefore = []): UsageReport {
    if (perModel.length === 0) return { kind: "unknown", why: "the agent states neither tokens nor a cost" };
    if (this.#costMicroUsd === undefined) return { kind: "known", provenance: "measured", models: perModel };
    if (before === "unknown") {
      return { kind: "unknown", why: "the cost includes earlier turns of the session" };
    }
    const earlier = before.map(({ model, statedMicroUsd }) => ({
      model,
      usage: {},
      ...optional("statedMicroUsd", statedMicroUsd),
    }));
    if (!hasGrown(perModel, earlier))
      return { kind: "unknown", why: "the session's cost is lower than before" };
    return { kind: "known", provenance: "measured", models: growth(perModel, earlier) };
  }

  #spent(): readonly ModelUsage[] {
    if (this.#usage === undefined && this.#costMicroUsd === undefined) return [];
    return [
      {
        model: this.#model,
        usage: this.#usage?.usage ?? {},
        ...optional("statedMicroUsd", this.#costMicroUsd),
      },
    ];
  }

  #take(line: Fields): void {
    switch (line["type"]) {
      case "session": {
        const id = text(line["id"]);
        this.#session = id ?? this.#session;
        if (id !== undefined) this.#events.push({ kind: "session", id });
        return;
      }
      case "update":
        this.#takeUpdate(fields(line["update"]) ?? {});
        return;
      case "permission":
        this.#events.push({
          kind: "activity",
          what: `${text(line["answer"])}: ${text(line["tool"])}`.slice(0, 200),
        });
        return;
      case "result":
        this.#stop = text(line["stop"]);
        this.#takeTokens(fields(line["usage"]) ?? {});
        this.#events.push({ kind: "result" });
        return;
      case "error":
        this.#error = text(line["message"]) ?? this.#error;
        this.#errorCode = line["code"];
    }
  }

  #takeUpdate(update: Fields): void {
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
        this.#takeWords(text(fields(update["content"])?.["text"]) ?? "");
        return;
      case "usage_update":
        this.#takeCost(fields(update["cost"]) ?? {});
        return;
      case "agent_thought_chunk":
        this.#act("thinking");
        return;
      case "tool_call":
      case "tool_call_update":
        this.#act(text(update["title"]) ?? "tool");
    }
  }

  #act(what: string): void {
    this.#isNewMessage = true;
    this.#events.push({ kind: "activity", what: what.slice(0, 200) });
  }

  /** The last message is what came after the last tool call. */
  #takeWords(words: string): void {
    this.#words = `${this.#isNewMessage ? "" : this.#words}${words}`.slice(0, KEPT_CHARS);
    this.#isNewMessage = false;
    if (words !== "") this.#events.push({ kind: "text", text: cut(words) });
  }

  #takeCost({ amount, currency }: Fields): void {
    if (typeof amount !== "number" || !(amount >= 0) || currency !== "USD") return;
    this.#costMicroUsd = Math.round(amount * 1_000_000);
  }

  #takeTokens(usage: Fields): void {
    const counted = {
      ...optional("inputTokens", count(usage["inputTokens"])),
      ...optional("cacheReadTokens", count(usage["cachedReadTokens"])),
      ...optional("outputTokens", count(usage["outputTokens"])),
    };
    if (Object.keys(counted).length > 0) this.#usage = { model: this.#model, usage: counted };
  }
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
