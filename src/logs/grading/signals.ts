import { type Fields, fields, list, parseFields, text } from "../fields.ts";
import { codexCommand } from "../graph/codex-tools.ts";
import { LineScanner, type LineVisitor, type MarkedLine } from "../lines.ts";
import { checkName, checkResult, claimsSuccess, isCheck, reviewVerdict } from "./check-text.ts";

/** What one log shows of how its session's work ended. Undefined is not observed, never no. */
export interface Signals {
  /** A check failed and the same one passed later. */
  readonly hasTurnedGreen: boolean;
  /** The last check that said anything. */
  readonly lastCheck?: "pass" | "fail";
  readonly review?: "accepted" | "rejected";
  /** The agent stopped by itself. */
  readonly hasEndedCleanly?: boolean;
  readonly claimsSuccess: boolean;
}

const REVIEWER = /review|referee|audit|critic/i;

/** Reads outcomes out of a log's tool results and last words; nothing of the text is kept. */
export class SignalReader implements LineVisitor {
  readonly #scanner = new LineScanner(
    ['"assistant"', '"tool_result"', '"response_item"', '"event_msg"'],
    this,
  );
  /** Open calls: the check's name, or undefined for a reviewer's. */
  readonly #checks = new Map<string, string>();
  readonly #reviews = new Set<string>();
  readonly #failed = new Set<string>();
  #hasTurnedGreen = false;
  #lastCheck: "pass" | "fail" | undefined;
  #review: "accepted" | "rejected" | undefined;
  #hasEndedCleanly: boolean | undefined;
  #claims = false;

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): Signals {
    this.#scanner.finish();
    return {
      hasTurnedGreen: this.#hasTurnedGreen,
      ...(this.#lastCheck === undefined ? {} : { lastCheck: this.#lastCheck }),
      ...(this.#review === undefined ? {} : { review: this.#review }),
      ...(this.#hasEndedCleanly === undefined ? {} : { hasEndedCleanly: this.#hasEndedCleanly }),
      claimsSuccess: this.#claims,
    };
  }

  damage(): void {
    // Counted by the scan of the same file.
  }

  line(line: MarkedLine): void {
    if (line.marks === 0) return;
    const parsed = parseFields(line.text());
    if (parsed === undefined || parsed === "broken" || parsed["isSidechain"] === true) return;
    switch (parsed["type"]) {
      case "assistant":
        this.#claudeMessage(fields(parsed["message"]) ?? {});
        return;
      case "user":
        for (const block of list(fields(parsed["message"])?.["content"]))
          this.#claudeResult(fields(block) ?? {});
        return;
      case "response_item":
        this.#codexItem(fields(parsed["payload"]) ?? {});
        return;
      case "event_msg":
        this.#codexEvent(fields(parsed["payload"]) ?? {});
    }
  }

  #claudeMessage(message: Fields): void {
    const stop = text(message["stop_reason"]);
    if (stop !== undefined) this.#hasEndedCleanly = stop === "end_turn" || stop === "stop_sequence";
    for (const block of list(message["content"])) {
      const entry = fields(block);
      const id = text(entry?.["id"]) ?? "";
      const input = fields(entry?.["input"]);
      if (entry?.["type"] === "text") this.#claims = claimsSuccess(text(entry["text"]) ?? "");
      if (entry?.["type"] !== "tool_use") continue;
      const command = text(input?.["command"]) ?? "";
      if (entry["name"] === "Bash" && isCheck(command)) this.#checks.set(id, checkName(command));
      if (REVIEWER.test(text(input?.["subagent_type"]) ?? "")) this.#reviews.add(id);
    }
  }

  #claudeResult(block: Fields): void {
    if (block["type"] !== "tool_result") return;
    const id = text(block["tool_use_id"]) ?? "";
    const output = plainText(block["content"]);
    if (this.#reviews.delete(id)) this.#review = reviewVerdict(output) ?? this.#review;
    this.#settle(id, output, block["is_error"] === true);
  }

  #codexItem(item: Fields): void {
    const id = text(item["call_id"]) ?? "";
    if (/_output$/.test(text(item["type"]) ?? "")) {
      this.#settle(id, plainText(item["output"]), false);
      return;
    }
    const { command } = codexCommand(item);
    if (command !== undefined && isCheck(command)) this.#checks.set(id, checkName(command));
  }

  #codexEvent(event: Fields): void {
    switch (event["type"]) {
      case "task_started":
      case "turn_aborted":
        this.#hasEndedCleanly = false;
        return;
      case "task_complete":
        this.#hasEndedCleanly = true;
        return;
      case "agent_message":
        this.#claims = claimsSuccess(text(event["message"]) ?? "");
    }
  }

  #settle(id: string, output: string, isError: boolean): void {
    const name = this.#checks.get(id);
    if (name === undefined) return;
    this.#checks.delete(id);
    // What the user broke off says nothing.
    const result = /interrupted by user|request interrupted/i.test(output)
      ? undefined
      : checkResult(output, isError);
    if (result === undefined) return;
    this.#lastCheck = result;
    if (result === "fail") this.#failed.add(name);
    else if (this.#failed.has(name)) this.#hasTurnedGreen = true;
  }
}

/** Text of a tool's answer, in whichever form it is kept. */
function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = list(content).map((block) => text(fields(block)?.["text"]) ?? "");
  return parts.length > 0 ? parts.join("\n") : JSON.stringify(content ?? "");
}
