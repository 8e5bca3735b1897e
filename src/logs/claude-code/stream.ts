import type { TokenUsage } from "../../core/tokens.ts";
import type { AgentStream, FinishedStream, SpentBefore } from "../../ports/agent-stream.ts";
import type { ModelUsage, ProviderEvent, UsageReport } from "../../ports/provider.ts";
import { BadCount, type Fields, fields, list, number, optional, text } from "../fields.ts";
import { cut, StreamLines } from "../stream-lines.ts";
import { attributable } from "./attributable.ts";
import { readStatedSpend, readUsage } from "./schema.ts";

/** Reads `claude -p` with `--output-format stream-json` or `json`. */
export function claudeStream(model?: string): AgentStream {
  return new ClaudeStream(model);
}

class ClaudeStream implements AgentStream {
  readonly #lines = new StreamLines((line) => this.#take(line));
  #events: ProviderEvent[] = [];
  #session: string | undefined;
  #model: string | undefined;
  #version: string | undefined;
  #lastText = "";
  #result: Fields | undefined;
  #limitResetsAtMs: number | undefined;

  constructor(model: string | undefined) {
    this.#model = model;
  }

  push(chunk: Uint8Array): readonly ProviderEvent[] {
    this.#lines.push(chunk);
    return this.#events.splice(0);
  }

  finish(): FinishedStream {
    this.#lines.finish();
    const result = this.#result;
    const isError = result?.["is_error"] !== false;
    const said = text(result?.["result"]);
    const plain = this.#lines.plainText;
    return {
      ...optional("session", this.#session),
      ...optional("model", this.#model),
      ...optional("version", this.#version),
      summary: cut(said ?? this.#lastText),
      isError,
      ...optional("errorStatus", number(result?.["api_error_status"])),
      ...optional("errorText", isError ? errorText(result, said, plain) : undefined),
      ...optional("limitResetsAtMs", this.#limitResetsAtMs),
      ...optional("terminalReason", text(result?.["terminal_reason"]) ?? text(result?.["subtype"])),
      ...(result === undefined ? {} : usageOf(result)),
      perModel: result === undefined ? [] : perModel(result),
      ...optional("statedCostUsd", number(result?.["total_cost_usd"])),
      sawResult: result !== undefined,
    };
  }

  attributable(finished: FinishedStream, before?: SpentBefore): UsageReport {
    return attributable(finished, before);
  }

  #take(line: Fields): void {
    this.#seeSession(text(line["session_id"]));
    switch (line["type"]) {
      case "system":
        this.#takeSystem(line);
        return;
      case "assistant":
        this.#takeAssistant(line);
        return;
      case "rate_limit_event":
        this.#takeLimit(fields(line["rate_limit_info"]));
        return;
      case "result":
        this.#result = line;
        this.#events.push(
          ...Object.values(usageOf(line)).map((usage) => ({ kind: "usage", usage }) as const),
          { kind: "result" },
        );
    }
  }

  /** Also comes as a mere notice; only a rejection is behind an error. */
  #takeLimit(info: Fields | undefined): void {
    const resetsAt = number(info?.["resetsAt"]);
    this.#limitResetsAtMs =
      info?.["status"] === "rejected" && resetsAt !== undefined ? resetsAt * 1000 : undefined;
  }

  #seeSession(id: string | undefined): void {
    if (id === undefined || id === this.#session) return;
    this.#session = id;
    this.#events.push({ kind: "session", id });
  }

  #takeSystem(line: Fields): void {
    if (line["subtype"] === "init") {
      this.#version = text(line["claude_code_version"]);
      const model = text(line["model"]);
      if (model === undefined) return;
      this.#model = model;
      this.#events.push({ kind: "model", model });
      return;
    }
    const subtype = text(line["subtype"]);
    if (subtype === undefined) return;
    const what = text(line["description"]) ?? text(line["summary"]) ?? "";
    this.#events.push({
      kind: "activity",
      what: `${subtype.replaceAll("_", " ")} ${what}`.trim().slice(0, 200),
    });
  }

  #takeAssistant(line: Fields): void {
    const isMain = text(line["parent_tool_use_id"]) === undefined;
    for (const block of list(fields(line["message"])?.["content"])) {
      const entry = fields(block);
      const said = entry?.["type"] === "text" ? text(entry["text"]) : undefined;
      if (said !== undefined && isMain) {
        this.#lastText = said;
        this.#events.push({ kind: "text", text: cut(said) });
      }
      if (entry?.["type"] === "tool_use") this.#events.push({ kind: "activity", what: describeTool(entry) });
    }
  }
}

/** `Bash npm test`, `Edit src/a.ts`: the tool and the one input that says most. */
function describeTool(block: Fields): string {
  const input = fields(block["input"]);
  const keys = ["command", "file_path", "pattern", "description", "url", "query", "prompt"];
  const detail = keys.map((key) => text(input?.[key])).find((value) => value !== undefined);
  return `${text(block["name"]) ?? "tool"} ${detail ?? ""}`.trim().slice(0, 200);
}

function errorText(result: Fields | undefined, said: string | undefined, plain: string): string | undefined {
  const errors = list(result?.["errors"]).flatMap((error) => text(error) ?? []);
  const message = errors.length > 0 ? errors.join("\n") : (said ?? plain);
  return message === "" ? undefined : cut(message);
}

function usageOf(result: Fields): { readonly usage?: TokenUsage } {
  const usage = fields(result["usage"]);
  return usage === undefined
    ? {}
    : optional(
        "usage",
        tolerant(() => readUsage(usage)),
      );
}

function perModel(result: Fields): ModelUsage[] {
  const spend = tolerant(() => readStatedSpend(result["modelUsage"])) ?? [];
  return spend.map(({ model, usage, webSearches, usd }) => ({
    model,
    usage,
    ...optional("statedMicroUsd", usd === undefined ? undefined : Math.round(usd * 1e6)),
    ...optional("webSearchRequests", webSearches === 0 ? undefined : webSearches),
  }));
}

/** Counts that cannot be counts leave the usage unknown. */
function tolerant<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadCount) return undefined;
    throw error;
  }
}
