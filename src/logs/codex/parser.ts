import { BadCount, count, type Fields, optional, parseFields, timeMs } from "../fields.ts";
import { addDamage, LineScanner, type LineVisitor, type MarkedLine } from "../lines.ts";
import { areEqual } from "./counters.ts";
import { type CodexFacts, type CodexFile, noFacts } from "./facts.ts";
import { type CodexRecord, type Counter, readRecord } from "./schema.ts";

/** How far into a line its type and its payload's type stand. */
const KIND_BYTES = 160;
const TYPE = '"type":"';
const PAYLOAD_TYPE = '"payload":{"type":"';
/** What holds neither usage nor anything that decides about it: nearly all of the bytes. */
const IDLE_TYPES = new Set([
  "response_item",
  "world_state",
  "compacted",
  "inter_agent_communication_metadata",
]);
const BUSY_EVENTS = new Set(["token_count", "thread_settings_applied"]);

/** True when the start of a line proves that the rest need not be parsed. */
function isIdle(start: string): boolean {
  const at = start.indexOf(TYPE);
  // A brace in front of it would make it the type of something inside.
  if (at === -1 || start.indexOf("{", 1) < at) return false;
  const type = wordAt(start, at + TYPE.length);
  if (type !== "event_msg") return IDLE_TYPES.has(type);
  const payload = start.indexOf(PAYLOAD_TYPE, at);
  if (payload === -1) return false;
  const event = wordAt(start, payload + PAYLOAD_TYPE.length);
  return event !== "" && !BUSY_EVENTS.has(event);
}

/** The string that starts here; empty when its end is not in sight. */
function wordAt(start: string, at: number): string {
  const end = start.indexOf('"', at);
  return end === -1 ? "" : start.slice(at, end);
}

/** The state of a parser between two lines, as plain JSON. */
export interface CodexCheckpoint {
  readonly at: { readonly number: number; readonly completeBytes: number };
  readonly facts: CodexFacts;
  readonly model?: string;
  readonly tier?: string;
  readonly total?: Counter;
}

/** Reads one rollout, given in chunks that may be cut anywhere. Pure: equal bytes give equal facts. */
export class CodexParser implements LineVisitor {
  readonly facts: CodexFacts;
  readonly #scanner: LineScanner;
  #model: string | undefined;
  #tier: string | undefined;
  #total: Counter | undefined;

  constructor(file: CodexFile, resume?: CodexCheckpoint) {
    this.facts = resume?.facts ?? noFacts(file);
    this.#scanner = new LineScanner([], this, resume?.at);
    this.#model = resume?.model;
    this.#tier = resume?.tier;
    this.#total = resume?.total;
  }

  /** Everything up to the last full line, from which a later reading goes on as if there had been no stop. */
  checkpoint(): CodexCheckpoint {
    return {
      at: { number: this.#scanner.number, completeBytes: this.#scanner.completeBytes },
      facts: this.facts,
      ...optional("model", this.#model),
      ...optional("tier", this.#tier),
      ...optional("total", this.#total),
    };
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): CodexFacts {
    this.#scanner.finish();
    this.facts.lines = this.#scanner.number;
    this.facts.bytes = this.#scanner.completeBytes;
    return this.facts;
  }

  damage(line: number, reason: string): void {
    addDamage(this.facts.damaged, { path: this.facts.file.path, line, reason });
  }

  line(line: MarkedLine): void {
    if (isIdle(line.bytes(0, KIND_BYTES))) return;
    const parsed = parseFields(line.text());
    if (parsed === undefined) return;
    if (parsed === "broken") {
      this.damage(line.number, "broken JSON");
      return;
    }
    try {
      this.#take(readRecord(parsed), parsed, line.number);
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
      this.facts.warnings.push(`line ${line.number}: ${error.message}`);
    }
  }

  #take(record: CodexRecord, line: Fields, number: number): void {
    const { facts } = this;
    const atMs = this.#seeTime(line);
    const ordinal = optional("ordinal", count(line["ordinal"]));
    const context = { ...optional("model", this.#model), ...optional("tier", this.#tier) };
    switch (record.kind) {
      case "meta":
        if (facts.meta === undefined) facts.meta = record.meta;
        else if (record.meta.id !== facts.meta.id) facts.replayed ??= record.meta;
        return;
      case "model":
        if (record.model !== this.#model)
          facts.models.push({ line: number, ...ordinal, model: record.model });
        this.#model = record.model;
        return;
      case "tier":
        this.#tier = record.tier;
        return;
      case "count": {
        const { total, last } = record;
        if (total === undefined && last === undefined) return;
        if (total !== undefined && this.#total !== undefined && areEqual(total, this.#total)) return;
        this.#total = total ?? this.#total;
        facts.steps.push({
          line: number,
          ...ordinal,
          atMs,
          ...optional("total", total),
          ...optional("last", last),
          ...context,
        });
        return;
      }
      case "usage": {
        const { kind: _, ...usage } = record;
        facts.usages.push({ line: number, ...usage, atMs, ...context });
        return;
      }
      case "other":
    }
  }

  /** The line's own time, or that of the latest line before it. */
  #seeTime(line: Fields): number {
    const { facts } = this;
    const atMs = timeMs(line["timestamp"]);
    if (atMs === undefined) return facts.lastAtMs ?? 0;
    facts.firstAtMs = Math.min(facts.firstAtMs ?? atMs, atMs);
    facts.lastAtMs = Math.max(facts.lastAtMs ?? atMs, atMs);
    return atMs;
  }
}
