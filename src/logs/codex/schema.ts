import { count, type Fields, fields, optional, text, timeMs } from "../fields.ts";
import { idHash } from "../text-hash.ts";

/**
 * Counts as Codex writes them: input includes cached and written, output includes reasoning. Every member is there, if
 * only as undefined: objects of one shape are read several times as fast.
 */
export interface Counter {
  readonly input: number;
  readonly cached: number;
  /** Undefined with writers that do not know it. */
  readonly written: number | undefined;
  readonly output: number;
  readonly reasoning: number;
  /** Stated separately: after a compaction it estimates the context while the rest is zero. */
  readonly total: number | undefined;
}

export interface ThreadMeta {
  readonly id?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly parentThread?: string | undefined;
  readonly forkedFrom?: string | undefined;
  readonly historyBase?: { readonly thread: string; readonly endOrdinal?: number } | undefined;
  /** Where the thread's own records begin in a file that starts with another thread's. */
  readonly ownFromOrdinal?: number | undefined;
  readonly source?: string | undefined;
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  readonly atMs?: number | undefined;
}

export type CodexRecord =
  | { readonly kind: "meta"; readonly meta: ThreadMeta }
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "tier"; readonly tier: string | undefined }
  | { readonly kind: "count"; readonly total: Counter | undefined; readonly last: Counter | undefined }
  | {
      readonly kind: "usage";
      readonly thread: string | undefined;
      /** The hash of its id. */
      readonly response: number | undefined;
      readonly usage: Counter;
      readonly total: Counter | undefined;
    }
  | { readonly kind: "other" };

/** @throws BadCount when a count of the record cannot be one */
export function readRecord(line: Fields): CodexRecord {
  const payload = fields(line["payload"]);
  if (payload === undefined) return { kind: "other" };
  switch (line["type"]) {
    case "session_meta":
      return { kind: "meta", meta: readMeta(payload, line) };
    case "turn_context": {
      const model = text(payload["model"]);
      return model === undefined ? { kind: "other" } : { kind: "model", model };
    }
    case "token_usage_record":
      return readUsageRecord(payload);
    case "event_msg":
      return readEvent(payload);
    default:
      return { kind: "other" };
  }
}

function readMeta(payload: Fields, line: Fields): ThreadMeta {
  const base = fields(payload["history_base"]);
  const baseThread = text(base?.["thread_id"]);
  const spawn = fields(fields(fields(payload["source"])?.["subagent"])?.["thread_spawn"]);
  return {
    ...optional("id", text(payload["id"])),
    ...optional("sessionId", text(payload["session_id"])),
    ...optional("parentThread", text(payload["parent_thread_id"]) ?? text(spawn?.["parent_thread_id"])),
    ...optional("forkedFrom", text(payload["forked_from_id"])),
    ...(baseThread === undefined
      ? {}
      : {
          historyBase: {
            thread: baseThread,
            ...optional("endOrdinal", ordinalOf(base?.["end_ordinal_exclusive"])),
          },
        }),
    ...optional(
      "ownFromOrdinal",
      ordinalOf(payload["subagent_history_start_ordinal"]) ??
        ordinalOf(payload["forked_from_ordinal_exclusive"]),
    ),
    ...optional("source", readSource(payload["source"])),
    ...optional("cwd", text(payload["cwd"])),
    ...optional("branch", text(fields(payload["git"])?.["branch"])),
    ...optional("atMs", timeMs(line["timestamp"]) ?? timeMs(payload["timestamp"])),
  };
}

/** Nothing is billed by it: a record is none the worse for one that cannot be told. */
export function ordinalOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** `exec`, `cli`, `subagent:review`, `subagent:thread_spawn` ... */
function readSource(source: unknown): string | undefined {
  const subagent = fields(source)?.["subagent"];
  if (subagent === undefined) return text(source);
  const kind = text(subagent) ?? Object.keys(fields(subagent) ?? {})[0];
  return kind === undefined ? "subagent" : `subagent:${kind}`;
}

function readEvent(payload: Fields): CodexRecord {
  if (payload["type"] === "thread_settings_applied") {
    return { kind: "tier", tier: tierOf(text(fields(payload["thread_settings"])?.["service_tier"])) };
  }
  if (payload["type"] !== "token_count") return { kind: "other" };
  const info = fields(payload["info"]);
  return {
    kind: "count",
    total: readCounter(info?.["total_token_usage"]),
    last: readCounter(info?.["last_token_usage"]),
  };
}

/** Only tiers with other prices are told apart. */
export function tierOf(written: string | undefined): string | undefined {
  return written === "standard" || written === "default" || written === "auto" ? undefined : written;
}

function readUsageRecord(payload: Fields): CodexRecord {
  const usage = readCounter(payload["usage"]);
  if (usage === undefined) return { kind: "other" };
  return {
    kind: "usage",
    thread: text(payload["thread_id"]),
    response: idHash(text(payload["response_id"]), "p"),
    usage,
    total: readCounter(payload["thread_token_usage"]),
  };
}

export function readCounter(value: unknown): Counter | undefined {
  const entry = fields(value);
  if (entry === undefined) return undefined;
  return {
    input: count(entry["input_tokens"]) ?? 0,
    cached: count(entry["cached_input_tokens"]) ?? 0,
    written: count(entry["cache_write_input_tokens"]),
    output: count(entry["output_tokens"]) ?? 0,
    reasoning: count(entry["reasoning_output_tokens"]) ?? 0,
    total: count(entry["total_tokens"]),
  };
}
