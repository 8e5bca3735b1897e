import { count, type Fields, fields, number, optional, text, timeMs } from "../fields.ts";
import type { PlainCall } from "../plain-calls.ts";

export type PiRecord =
  | {
      readonly kind: "session";
      readonly id?: string;
      readonly cwd?: string;
      readonly parent?: string;
      readonly atMs?: number;
    }
  | { readonly kind: "call"; readonly call: PlainCall }
  | { readonly kind: "error" }
  | { readonly kind: "other" };

/** @throws BadCount when a count of the record cannot be one */
export function readPiRecord(line: Fields): PiRecord {
  // An agent that a session of omp started begins with the other one.
  if (line["type"] === "session" || line["type"] === "session_init") {
    return {
      kind: "session",
      ...optional("id", text(line["id"])),
      ...optional("cwd", text(line["cwd"])),
      ...optional("parent", text(line["parentSession"])),
      ...optional("atMs", timeMs(line["timestamp"])),
    };
  }
  // Compactions and branch summaries are calls of their own where they state a usage.
  const message = fields(line["message"]) ?? line;
  const usage = fields(message["usage"]);
  if (usage === undefined) return { kind: "other" };
  if (message["stopReason"] === "error") return { kind: "error" };
  const at = timeMs(line["timestamp"]);
  const id = text(line["id"]) ?? "";
  return {
    kind: "call",
    call: {
      key: `${id} ${String(message["timestamp"] ?? line["timestamp"] ?? "")}`,
      model: text(message["model"]) ?? "unknown",
      atMs: at,
      usage: {
        ...optional("inputTokens", count(usage["input"])),
        ...optional("cacheWrite5mTokens", count(usage["cacheWrite"])),
        ...optional("cacheReadTokens", count(usage["cacheRead"])),
        ...optional("outputTokens", count(usage["output"])),
      },
      ...optional("recordedUsd", number(fields(usage["cost"])?.["total"])),
    },
  };
}
