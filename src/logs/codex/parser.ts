import { BadCount, count, type Fields, optional, timeMs } from "../fields.ts";
import { addDamage } from "../lines.ts";
import { type RecordVisitor, Sift, SiftedLines } from "../sift/index.ts";
import { areEqual } from "./counters.ts";
import { type CodexFacts, type CodexFile, noFacts } from "./facts.ts";
import { type CodexRecord, type Counter, readRecord } from "./schema.ts";
import { CODEX_MEMBERS } from "./wanted.ts";

/** The state of a parser between two lines, as plain JSON. */
export interface CodexCheckpoint {
  readonly at: { readonly number: number; readonly completeBytes: number };
  readonly facts: CodexFacts;
  readonly model?: string;
  readonly tier?: string;
  readonly total?: Counter;
}

let sift: Sift | undefined;

/** Reads one rollout, given in chunks that may be cut anywhere. Pure: equal bytes give equal facts. */
export class CodexParser implements RecordVisitor {
  readonly facts: CodexFacts;
  readonly #lines: SiftedLines;
  #model: string | undefined;
  #tier: string | undefined;
  #total: Counter | undefined;

  constructor(file: CodexFile, resume?: CodexCheckpoint) {
    this.facts = resume?.facts ?? noFacts(file);
    sift ??= new Sift(CODEX_MEMBERS);
    this.#lines = new SiftedLines(sift, this, resume?.at);
    this.#model = resume?.model;
    this.#tier = resume?.tier;
    this.#total = resume?.total;
  }

  /** Everything up to the last full line, from which a later reading goes on as if there had been no stop. */
  checkpoint(): CodexCheckpoint {
    return {
      at: { number: this.#lines.number, completeBytes: this.#lines.completeBytes },
      facts: this.facts,
      ...optional("model", this.#model),
      ...optional("tier", this.#tier),
      ...optional("total", this.#total),
    };
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  finish(): CodexFacts {
    this.#lines.finish();
    this.facts.lines = this.#lines.number;
    this.facts.bytes = this.#lines.completeBytes;
    return this.facts;
  }

  damage(line: number, reason: string): void {
    addDamage(this.facts.damaged, { path: this.facts.file.path, line, reason });
  }

  record(line: Fields, lineNumber: number): void {
    try {
      this.#take(readRecord(line), line, lineNumber);
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
      this.facts.warnings.push(`line ${lineNumber}: ${error.message}`);
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
