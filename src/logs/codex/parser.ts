import { BadCount, count, type Fields, optional, parseFields, timeMs } from "../fields.ts";
import { addDamage, LineScanner, type LineVisitor, type MarkedLine } from "../lines.ts";
import { areEqual } from "./counters.ts";
import { type CodexFacts, type CodexFile, noFacts } from "./facts.ts";
import { type CodexRecord, type Counter, readRecord } from "./schema.ts";

const MARKERS = [
  '"token_count"',
  '"token_usage_record"',
  '"turn_context"',
  '"session_meta"',
  '"thread_settings_applied"',
];

/** Reads one rollout, given in chunks that may be cut anywhere. Pure: equal bytes give equal facts. */
export class CodexParser implements LineVisitor {
  readonly facts: CodexFacts;
  readonly #scanner: LineScanner;
  #model: string | undefined;
  #tier: string | undefined;
  #total: Counter | undefined;

  constructor(file: CodexFile) {
    this.facts = noFacts(file);
    this.#scanner = new LineScanner(MARKERS, this);
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
    if (line.marks === 0) return;
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
