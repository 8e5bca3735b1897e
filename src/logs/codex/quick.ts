import { columnsOf, type LineMembers, type LineRows, type Sift } from "../sift/index.ts";
import { idHash } from "../text-hash.ts";
import { type CodexRecord, type Counter, type ThreadMeta, tierOf } from "./schema.ts";
import { CODEX_MEMBERS, type CodexMember, type CodexRule, type CounterName } from "./wanted.ts";

/** A record with what stands around it. */
export interface QuickRecord {
  readonly record: CodexRecord;
  readonly atMs: number | undefined;
  readonly ordinal: number | undefined;
}

const OTHER: CodexRecord = { kind: "other" };

/** The short way to what `readRecord` says of the records that are nearly all: without an object for each member. */
export class QuickCodex {
  readonly #line: LineMembers;
  readonly #at: Sift<CodexMember, CodexRule>["members"];
  readonly #counters: Readonly<Record<CounterName, CountPlaces>>;
  #lastInfo: { readonly version: number; readonly record: CodexRecord } | undefined;

  constructor({ line, members }: Sift<CodexMember, CodexRule>) {
    this.#line = line;
    this.#at = members;
    this.#counters = {
      infoTotal: countsOf("infoTotal", members),
      infoLast: countsOf("infoLast", members),
      usage: countsOf("usage", members),
      threadUsage: countsOf("threadUsage", members),
    };
  }

  /** Undefined when the record must be read the long way. */
  read(): QuickRecord | undefined {
    const ordinal = this.#line.count(this.#at.ordinal);
    const record = Number.isNaN(ordinal) ? undefined : this.#record();
    return record === undefined
      ? undefined
      : { record, atMs: this.#line.timeMs(this.#at.timestamp), ordinal };
  }

  #record(): CodexRecord | undefined {
    const line = this.#line;
    const at = this.#at;
    if (!line.isObject(at.payload)) return OTHER;
    switch (line.text(at.type)) {
      case "session_meta":
        return this.#meta();
      case "turn_context": {
        const model = line.text(at.model);
        return model === undefined ? OTHER : { kind: "model", model };
      }
      case "token_usage_record":
        return this.#usage();
      case "event_msg": {
        const event = line.text(at.eventType);
        if (event === "thread_settings_applied") return { kind: "tier", tier: tierOf(line.text(at.tier)) };
        return event === "token_count" ? this.#count() : OTHER;
      }
      default:
        return OTHER;
    }
  }

  /** Where a thread came from an older one's history or from an agent, more is said than is wanted here. */
  #meta(): CodexRecord | undefined {
    const line = this.#line;
    const at = this.#at;
    if (line.has(at.historyBase) || line.isObject(at.source)) return undefined;
    const ownFromOrdinal = line.count(at.spawnFrom) ?? line.count(at.forkFrom);
    if (Number.isNaN(ownFromOrdinal)) return undefined;
    const meta: ThreadMeta = {
      id: line.text(at.id),
      sessionId: line.text(at.sessionId),
      parentThread: line.text(at.parentThread),
      forkedFrom: line.text(at.forkedFrom),
      historyBase: undefined,
      ownFromOrdinal,
      source: line.text(at.source),
      cwd: line.text(at.cwd),
      branch: line.text(at.branch),
      atMs: line.timeMs(at.timestamp) ?? line.timeMs(at.startedAt),
    };
    return { kind: "meta", meta };
  }

  #count(): CodexRecord | undefined {
    const version = this.#line.version(this.#at.info);
    if (!this.#line.isObject(this.#at.info)) return undefined;
    if (this.#lastInfo?.version === version) return this.#lastInfo.record;
    if (this.#line.isSkipped(this.#at.info)) return undefined;
    const total = this.#counter("infoTotal");
    const last = this.#counter("infoLast");
    if (total === "odd" || last === "odd") return undefined;
    const record: CodexRecord = { kind: "count", total, last };
    this.#lastInfo = { version, record };
    return record;
  }

  #usage(): CodexRecord | undefined {
    const line = this.#line;
    const usage = this.#counter("usage");
    const total = this.#counter("threadUsage");
    if (usage === undefined || usage === "odd" || total === "odd") return undefined;
    const thread = line.text(this.#at.thread);
    const response = idHash(line.text(this.#at.response), "p");
    return { kind: "usage", thread, response, usage, total };
  }

  /** Undefined for what is no object, `odd` for one with a count that cannot be one. */
  #counter(name: CounterName): Counter | "odd" | undefined {
    const line = this.#line;
    const at = this.#counters[name];
    if (!line.isObject(this.#at[name])) return undefined;
    const counter: Counter = {
      input: line.count(at.input) ?? 0,
      cached: line.count(at.cached) ?? 0,
      written: line.count(at.written),
      output: line.count(at.output) ?? 0,
      reasoning: line.count(at.reasoning) ?? 0,
      total: line.count(at.total),
    };
    const { input, cached, output, reasoning, written, total } = counter;
    const sum = input + cached + output + reasoning + (written ?? 0) + (total ?? 0);
    return Number.isNaN(sum) ? "odd" : counter;
  }
}

/** Where the counts of a counter are found: among the members of a line, or the columns of a row. */
type CountPlaces = Readonly<Record<keyof Counter, number>>;

function countsOf<Name extends CounterName>(
  name: Name,
  places: Readonly<Record<`${Name}.${keyof Counter}`, number>>,
): CountPlaces {
  return {
    input: places[`${name}.input`],
    cached: places[`${name}.cached`],
    written: places[`${name}.written`],
    output: places[`${name}.output`],
    reasoning: places[`${name}.reasoning`],
    total: places[`${name}.total`],
  };
}

const COUNT_ROW = columnsOf(CODEX_MEMBERS.passed.counts.columns);
const USAGE_ROW = columnsOf(CODEX_MEMBERS.passed.usages.columns);
const IN_ROW = {
  infoTotal: countsOf("infoTotal", COUNT_ROW),
  infoLast: countsOf("infoLast", COUNT_ROW),
  usage: countsOf("usage", USAGE_ROW),
  threadUsage: countsOf("threadUsage", USAGE_ROW),
};

/** What a row says of a record that is else like the one that settled its rule. */
export function recordOfRow(
  like: CodexRecord & { kind: "count" | "usage" },
  rows: LineRows,
  row: number,
): QuickRecord {
  // Each object on its own: one inside another takes several times as long to make.
  if (like.kind === "count") {
    const total = like.total === undefined ? undefined : counterOfRow(rows, row, IN_ROW.infoTotal);
    const last = like.last === undefined ? undefined : counterOfRow(rows, row, IN_ROW.infoLast);
    const record: CodexRecord = { kind: "count", total, last };
    const ordinal = rows.column(row, COUNT_ROW.ordinal);
    return { record, atMs: rows.column(row, COUNT_ROW.atMs), ordinal };
  }
  const { thread } = like;
  const response = rows.column(row, USAGE_ROW.response);
  const usage = counterOfRow(rows, row, IN_ROW.usage);
  const total = like.total === undefined ? undefined : counterOfRow(rows, row, IN_ROW.threadUsage);
  const record: CodexRecord = { kind: "usage", thread, response, usage, total };
  return { record, atMs: rows.column(row, USAGE_ROW.atMs), ordinal: undefined };
}

function counterOfRow(rows: LineRows, row: number, at: CountPlaces): Counter {
  return {
    input: rows.column(row, at.input) ?? 0,
    cached: rows.column(row, at.cached) ?? 0,
    written: rows.column(row, at.written),
    output: rows.column(row, at.output) ?? 0,
    reasoning: rows.column(row, at.reasoning) ?? 0,
    total: rows.column(row, at.total),
  };
}
