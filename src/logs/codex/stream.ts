import type { AgentStream, FinishedStream, SpentBefore } from "../../ports/agent-stream.ts";
import type { ProviderEvent, UsageReport } from "../../ports/provider.ts";
import { UNKNOWN_MODEL } from "../call.ts";
import { growth, hasGrown } from "../cumulative.ts";
import { BadCount, type Fields, fields, optional, text } from "../fields.ts";
import { cut, StreamLines } from "../stream-lines.ts";
import { billed } from "./counters.ts";
import { type Counter, readCounter } from "./schema.ts";

/**
 * Reads `codex exec --json`.
 *
 * @param model the model that was asked for: the stream does not name it
 */
export function codexStream(model?: string): AgentStream {
  return new CodexStream(model);
}

class CodexStream implements AgentStream {
  readonly #lines = new StreamLines((line) => this.#take(line));
  readonly #model: string | undefined;
  #events: ProviderEvent[] = [];
  #session: string | undefined;
  #lastText = "";
  #error: string | undefined;
  #end: "completed" | "failed" | undefined;
  #counter: Counter | undefined;

  constructor(model: string | undefined) {
    this.#model = model;
  }

  push(chunk: Uint8Array): readonly ProviderEvent[] {
    this.#lines.push(chunk);
    return this.#events.splice(0);
  }

  finish(): FinishedStream {
    this.#lines.finish();
    const isError = this.#end !== "completed";
    const plain = this.#lines.plainText;
    const error = isError ? (this.#error ?? (plain === "" ? undefined : plain)) : undefined;
    return {
      ...optional("session", this.#session),
      ...optional("model", this.#model),
      summary: cut(this.#lastText),
      isError,
      ...optional("errorStatus", statusIn(error)),
      ...optional("errorText", error === undefined ? undefined : cut(error)),
      ...optional("terminalReason", this.#end === undefined ? undefined : `turn.${this.#end}`),
      perModel:
        this.#counter === undefined
          ? []
          : [{ model: this.#model ?? UNKNOWN_MODEL, usage: billed(this.#counter).usage }],
      sawResult: this.#end !== undefined,
    };
  }

  /** The counters are the thread's, a fork's begin with its parent's, and spawned threads are in neither. */
  attributable(finished: FinishedStream, before: SpentBefore = []): UsageReport {
    const { perModel } = finished;
    if (perModel.length === 0) return { kind: "unknown", why: "no finished turn states its usage" };
    if (before === "unknown") {
      return {
        kind: "unknown",
        why: "the total includes earlier turns of the thread, and what those spent is not known",
      };
    }
    // One counter for the thread, whatever models wrote into it.
    const base = before.slice(-1).map((entry) => ({ ...entry, model: perModel[0]?.model ?? UNKNOWN_MODEL }));
    if (!hasGrown(perModel, base)) return { kind: "unknown", why: "the thread's total is lower than before" };
    return { kind: "known", provenance: "measured", models: growth(perModel, base) };
  }

  #take(line: Fields): void {
    switch (line["type"]) {
      case "thread.started": {
        const id = text(line["thread_id"]);
        if (id === undefined) return;
        this.#session = id;
        this.#events.push({ kind: "session", id });
        return;
      }
      case "item.started":
      case "item.completed":
        this.#takeItem(fields(line["item"]) ?? {}, line["type"] === "item.completed");
        return;
      case "turn.completed":
        this.#end = "completed";
        this.#takeUsage(line);
        this.#events.push({ kind: "result" });
        return;
      case "turn.failed":
        this.#end = "failed";
        this.#error = text(fields(line["error"])?.["message"]) ?? this.#error;
        this.#events.push({ kind: "result" });
        return;
      case "error":
        this.#error = text(line["message"]) ?? this.#error;
    }
  }

  #takeUsage(line: Fields): void {
    // An earlier turn's total would leave this turn out.
    this.#counter = undefined;
    try {
      this.#counter = readCounter(line["usage"]);
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
    }
    if (this.#counter !== undefined) this.#events.push({ kind: "usage", usage: billed(this.#counter).usage });
  }

  #takeItem(item: Fields, isOver: boolean): void {
    const type = text(item["type"]) ?? "item";
    const said = text(item["text"]);
    if (type === "agent_message") {
      if (!isOver || said === undefined) return;
      this.#lastText = said;
      this.#events.push({ kind: "text", text: cut(said) });
      return;
    }
    if (type === "error") this.#error = text(item["message"]) ?? this.#error;
    if (isOver && type !== "file_change") return;
    const detail = text(item["command"]) ?? text(item["tool"]) ?? text(item["query"]) ?? said ?? "";
    this.#events.push({
      kind: "activity",
      what: `${type.replaceAll("_", " ")} ${detail}`.trim().slice(0, 200),
    });
  }
}

function statusIn(error: string | undefined): number | undefined {
  const found = /\b(?:status|http|code)\W{0,4}(?:code\W{0,3})?([45]\d\d)\b/i.exec(error ?? "");
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
