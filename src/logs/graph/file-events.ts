import { type Fields, fields, list, parseFields, text, timeMs } from "../fields.ts";
import { LineScanner, type LineVisitor, type MarkedLine } from "../lines.ts";

/** A file that an agent wrote or read, as its log shows the tool call. */
export interface FileEvent {
  readonly kind: "write" | "read";
  readonly path: string;
  readonly atMs: number;
  readonly session: string;
  readonly subagent?: string;
}

const WRITERS = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
const PATH_KEYS = ["file_path", "notebook_path", "path"] as const;
const PATCH_LINE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm;
const TOOL_USE = 0b1;
const PATCH = 0b10;

/** Finds file events in one log; everything else about the tools, their text above all, is left alone. */
export class FileEvents implements LineVisitor {
  readonly events: FileEvent[] = [];
  readonly #scanner = new LineScanner(['"tool_use"', "*** "], this);
  readonly #session: string;
  readonly #subagent: string | undefined;

  constructor(session: string, subagent: string | undefined) {
    this.#session = session;
    this.#subagent = subagent;
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): readonly FileEvent[] {
    this.#scanner.finish();
    return this.events;
  }

  damage(): void {
    // Counted by the scan of the same file.
  }

  line(line: MarkedLine): void {
    if (line.marks === 0) return;
    const parsed = parseFields(line.text());
    if (parsed === undefined || parsed === "broken") return;
    const atMs = timeMs(parsed["timestamp"]) ?? 0;
    if ((line.marks & TOOL_USE) !== 0 && parsed["type"] === "assistant") this.#claude(parsed, atMs);
    if ((line.marks & PATCH) !== 0 && parsed["type"] === "response_item") this.#codex(parsed, atMs);
  }

  #claude(line: Fields, atMs: number): void {
    const agent = this.#subagent ?? text(line["agentId"]);
    for (const block of list(fields(line["message"])?.["content"])) {
      const entry = fields(block);
      const name = text(entry?.["name"]);
      if (entry?.["type"] !== "tool_use" || name === undefined) continue;
      const input = fields(entry["input"]);
      const path = PATH_KEYS.map((key) => text(input?.[key])).find((value) => value !== undefined);
      if (path === undefined || !(WRITERS.has(name) || name === "Read")) continue;
      this.#add(name === "Read" ? "read" : "write", path, atMs, agent);
    }
  }

  /** Patches name the files they change; the patch itself is not kept. */
  #codex(line: Fields, atMs: number): void {
    const payload = fields(line["payload"]);
    const input = text(payload?.["input"]) ?? text(payload?.["arguments"]);
    if (input === undefined) return;
    for (const match of input.replaceAll("\\n", "\n").matchAll(PATCH_LINE)) {
      this.#add("write", (match[1] ?? match[2] ?? "").trim(), atMs, undefined);
    }
  }

  #add(kind: FileEvent["kind"], path: string, atMs: number, subagent: string | undefined): void {
    this.events.push({
      kind,
      path,
      atMs,
      session: this.#session,
      ...(subagent === undefined ? {} : { subagent }),
    });
  }
}
