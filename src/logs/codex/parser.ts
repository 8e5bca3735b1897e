import { assertNever, InvariantError } from "../../core/result.ts";
import { BadCount, type Fields, optional, timeMs } from "../fields.ts";
import { addDamage } from "../lines.ts";
import { type LineRows, type PassedLines, type RecordVisitor, Sift, SiftedLines } from "../sift/index.ts";
import { areEqual } from "./counters.ts";
import { type CodexFacts, type CodexFile, isOwn, noFacts, threadOf } from "./facts.ts";
import { isThreadId } from "./paths.ts";
import { QuickCodex, recordOfRow } from "./quick.ts";
import { type CodexRecord, type Counter, ordinalOf, readRecord, type ThreadMeta } from "./schema.ts";
import { CODEX_MEMBERS, type CodexMember, type CodexRule } from "./wanted.ts";

/** The state of a parser between two lines, as plain JSON. */
export interface CodexCheckpoint {
  readonly at: { readonly number: number; readonly completeBytes: number };
  readonly facts: CodexFacts;
  readonly model?: string;
  readonly tier?: string;
  readonly total?: Counter;
}

interface Tools {
  readonly sift: Sift<CodexMember, CodexRule>;
  readonly quick: QuickCodex;
}
/** Shared by all readings on a thread. */
let tools: Tools | undefined;

function toolsHere(): Tools {
  if (tools === undefined) {
    const sift = new Sift(CODEX_MEMBERS);
    tools = { sift, quick: new QuickCodex(sift) };
  }
  return tools;
}

/** Reads one rollout, given in chunks that may be cut anywhere. Pure: equal bytes give equal facts. */
export class CodexParser implements RecordVisitor {
  readonly facts: CodexFacts;
  readonly sink: SiftedLines;
  readonly #sift: Tools["sift"];
  readonly #quick: QuickCodex;
  #model: string | undefined;
  #tier: string | undefined;
  #total: Counter | undefined;
  readonly #isAlone: boolean;
  /** Counters say nothing more. */
  #isCounted = false;
  /** What the rows of either kind are like. */
  #likeCount: (CodexRecord & { kind: "count" }) | undefined;
  #likeUsage: (CodexRecord & { kind: "usage" }) | undefined;

  /**
   * @param isAlone nobody will put these facts together with others: what bears only on other files' calls is left out
   */
  constructor(file: CodexFile, resume?: CodexCheckpoint, isAlone = false) {
    this.facts = resume?.facts ?? noFacts(file);
    this.#isAlone = isAlone;
    const { sift, quick } = toolsHere();
    this.#sift = sift;
    this.#quick = quick;
    this.sink = new SiftedLines(sift, this, resume?.at);
    this.#model = resume?.model;
    this.#tier = resume?.tier;
    this.#total = resume?.total;
  }

  /** Everything up to the last full line, from which a later reading goes on as if there had been no stop. */
  checkpoint(): CodexCheckpoint {
    return {
      at: { number: this.sink.number, completeBytes: this.sink.completeBytes },
      facts: this.facts,
      ...optional("model", this.#model),
      ...optional("tier", this.#tier),
      ...optional("total", this.#total),
    };
  }

  push(chunk: Uint8Array): void {
    this.sink.push(chunk);
  }

  finish(): CodexFacts {
    this.sink.finish();
    this.facts.lines = this.sink.number;
    this.facts.bytes = this.sink.completeBytes;
    return this.facts;
  }

  damage(line: number, reason: string): void {
    addDamage(this.facts.damaged, { path: this.facts.file.path, line, reason });
  }

  record(line: Fields, lineNumber: number): void {
    try {
      const record = readRecord(line);
      const atMs = this.#seeTime(timeMs(line["timestamp"]));
      this.#take(record, atMs, ordinalOf(line["ordinal"]), lineNumber);
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
      this.facts.warnings.push(`line ${lineNumber}: ${error.message}`);
    }
  }

  take(lineNumber: number): boolean {
    const quick = this.#quick.read();
    if (quick === undefined) return false;
    this.#take(quick.record, this.#seeTime(quick.atMs), quick.ordinal, lineNumber);
    this.#settle(quick.record);
    return true;
  }

  rows(rows: LineRows): void {
    const { usages } = this.#sift.rules;
    const count = rows.rows;
    for (let row = 0; row < count; row += 1) {
      const like = rows.rule(row) === usages ? this.#likeUsage : this.#likeCount;
      if (like === undefined) throw new InvariantError("rows like no record");
      const { record, atMs, ordinal } = recordOfRow(like, rows, row);
      this.#take(record, this.#seeTime(atMs), ordinal, rows.firstLine(row));
    }
  }

  /** From here on records like this one need not be told. */
  #settle(record: CodexRecord): void {
    switch (record.kind) {
      case "count":
        // Without a total every event is a call.
        if (record.total === undefined) return;
        this.#sift.settle("repeats");
        // What is in counters that were not read again is not known to the rule.
        if (this.#sift.line.isSkipped(this.#sift.members.info)) return;
        this.#sift.settle("counts");
        this.#likeCount = record;
        if (this.#isCounted) this.#sift.mute("counts");
        return;
      case "usage":
        this.#sift.settle("usages");
        this.#likeUsage = record;
        if (this.#isCounted) this.#sift.mute("counts");
        return;
      case "model":
        this.#sift.settle("contexts");
        return;
      case "tier":
        this.#sift.settle("settings");
        return;
      case "other":
        this.#sift.settle("events");
        return;
      case "meta":
        return;
      default:
        assertNever(record);
    }
  }

  passed({ firstAtMs, lastAtMs }: PassedLines): void {
    this.#seeTime(firstAtMs);
    this.#seeTime(lastAtMs);
  }

  #take(record: CodexRecord, atMs: number, ordinal: number | undefined, number: number): void {
    const { facts } = this;
    switch (record.kind) {
      case "meta":
        if (facts.meta === undefined && !this.#isCopied(record.meta)) facts.meta = record.meta;
        else if (record.meta.id !== threadOf(facts)) facts.replayed ??= record.meta;
        return;
      case "model":
        if (record.model !== this.#model) facts.models.push({ line: number, ordinal, model: record.model });
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
        if (this.#isCounted) return;
        facts.steps.push({ line: number, ordinal, atMs, total, last, model: this.#model, tier: this.#tier });
        return;
      }
      case "usage": {
        const { thread, response, usage, total } = record;
        const model = this.#model;
        const tier = this.#tier;
        facts.usages.push({ line: number, thread, response, usage, total, atMs, model, tier });
        // Behind the thread's first record of its own only records are calls.
        this.#isCounted ||=
          this.#isAlone && facts.meta !== undefined && isOwn(record.thread, threadOf(facts));
        return;
      }
      case "other":
    }
  }

  /** Behind a damaged start the first one left may be the parent's: then the file is named after another thread. */
  #isCopied({ id }: ThreadMeta): boolean {
    const { damaged, file } = this.facts;
    return damaged.lines.length > 0 && id !== undefined && isThreadId(file.thread) && id !== file.thread;
  }

  /** The line's own time, or that of the latest line before it. */
  #seeTime(atMs: number | undefined): number {
    const { facts } = this;
    if (atMs === undefined) return facts.lastAtMs ?? 0;
    facts.firstAtMs = Math.min(facts.firstAtMs ?? atMs, atMs);
    facts.lastAtMs = Math.max(facts.lastAtMs ?? atMs, atMs);
    return atMs;
  }
}
