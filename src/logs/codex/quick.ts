import type { Entry, LineMembers } from "../sift/index.ts";
import type { CodexRecord, Counter } from "./schema.ts";

/** Larger ones are no counters that any writer writes. */
const KEPT_BYTES = 4096;

/** A record with what stands around it. */
export interface QuickRecord {
  readonly record: CodexRecord;
  readonly atMs: number | undefined;
  readonly ordinal: number | undefined;
}

const OTHER: CodexRecord = { kind: "other" };

/** The short way to what `readRecord` says of the records that are nearly all: without an object for each. */
export class QuickCodex {
  readonly #line: LineMembers;
  readonly #keys: ReturnType<typeof keysOf>;
  #lastInfo: { readonly bytes: Buffer; readonly record: CodexRecord } | undefined;

  constructor(line: LineMembers) {
    this.#line = line;
    this.#keys = keysOf(line);
  }

  /** What else must be read the long way: from the wanted members, or from all of them. */
  read(): QuickRecord | "fields" | "whole" {
    const line = this.#line;
    const keys = this.#keys;
    const type = line.text(line.outer(keys.type));
    const ordinal = line.count(line.outer(keys.ordinal));
    if (Number.isNaN(ordinal) || !line.enter(line.outer(keys.payload))) return "fields";
    // The kind of a sub-agent is the name of a member.
    if (type === "session_meta" && line.isObject(line.inner(keys.source))) return "whole";
    const record = this.#record(type);
    if (record === undefined) return "fields";
    return { record, atMs: line.timeMs(line.outer(keys.timestamp)), ordinal };
  }

  #record(type: string | undefined): CodexRecord | undefined {
    const line = this.#line;
    const keys = this.#keys;
    switch (type) {
      case "turn_context": {
        const model = line.text(line.inner(keys.model));
        return model === undefined ? OTHER : { kind: "model", model };
      }
      case "token_usage_record":
        return this.#usage();
      case "event_msg": {
        const event = line.text(line.inner(keys.type));
        if (event === "thread_settings_applied") return undefined;
        return event === "token_count" ? this.#count(line.inner(keys.info)) : OTHER;
      }
      default:
        return undefined;
    }
  }

  /** Counters are written again and again: a repeat to the letter is the same record. */
  #count(info: Entry): CodexRecord | undefined {
    const line = this.#line;
    if (!line.isObject(info)) return undefined;
    if (this.#lastInfo !== undefined && line.isSame(info, this.#lastInfo.bytes)) return this.#lastInfo.record;
    line.enter(info);
    const totalEntry = line.inner(this.#keys.totalUsage);
    const lastEntry = line.inner(this.#keys.lastUsage);
    const total = this.#counter(totalEntry);
    const last = this.#counter(lastEntry);
    if (total === "odd" || last === "odd") return undefined;
    const record: Writable<Extract<CodexRecord, { kind: "count" }>> = { kind: "count" };
    if (total !== undefined) record.total = total;
    if (last !== undefined) record.last = last;
    const bytes = line.copyOf(info);
    this.#lastInfo = bytes.length > KEPT_BYTES ? undefined : { bytes, record };
    return record;
  }

  #usage(): CodexRecord | undefined {
    const line = this.#line;
    const keys = this.#keys;
    const thread = line.text(line.inner(keys.threadId));
    const response = line.text(line.inner(keys.responseId));
    const totalEntry = line.inner(keys.threadUsage);
    const usage = this.#counter(line.inner(keys.usage));
    const total = this.#counter(totalEntry);
    if (usage === undefined || usage === "odd" || total === "odd") return undefined;
    const record: Writable<Extract<CodexRecord, { kind: "usage" }>> = { kind: "usage", usage };
    if (thread !== undefined) record.thread = thread;
    if (response !== undefined) record.response = response;
    if (total !== undefined) record.total = total;
    return record;
  }

  /** Undefined for what is no object, `odd` for one with a count that cannot be one. */
  #counter(entry: Entry): Counter | "odd" | undefined {
    const line = this.#line;
    const keys = this.#keys;
    if (!line.enter(entry)) return undefined;
    const written = line.count(line.inner(keys.written));
    const stated = line.count(line.inner(keys.total));
    const counter: Writable<Counter> = {
      input: line.count(line.inner(keys.input)) ?? 0,
      cached: line.count(line.inner(keys.cached)) ?? 0,
      output: line.count(line.inner(keys.output)) ?? 0,
      reasoning: line.count(line.inner(keys.reasoning)) ?? 0,
    };
    if (written !== undefined) counter.written = written;
    if (stated !== undefined) counter.total = stated;
    const { input, cached, output, reasoning } = counter;
    const sum = input + cached + output + reasoning + (written ?? 0) + (stated ?? 0);
    return Number.isNaN(sum) ? "odd" : counter;
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function keysOf(line: LineMembers) {
  return {
    type: line.keyOf("type"),
    ordinal: line.keyOf("ordinal"),
    timestamp: line.keyOf("timestamp"),
    payload: line.keyOf("payload"),
    model: line.keyOf("model"),
    info: line.keyOf("info"),
    source: line.keyOf("source"),
    totalUsage: line.keyOf("total_token_usage"),
    lastUsage: line.keyOf("last_token_usage"),
    threadId: line.keyOf("thread_id"),
    responseId: line.keyOf("response_id"),
    threadUsage: line.keyOf("thread_token_usage"),
    usage: line.keyOf("usage"),
    input: line.keyOf("input_tokens"),
    cached: line.keyOf("cached_input_tokens"),
    written: line.keyOf("cache_write_input_tokens"),
    output: line.keyOf("output_tokens"),
    reasoning: line.keyOf("reasoning_output_tokens"),
    total: line.keyOf("total_tokens"),
  };
}
