import { assertNever, InvariantError } from "../../core/result.ts";
import { BadCount, type Fields } from "../fields.ts";
import { addDamage } from "../lines.ts";
import { type LineRows, type PassedLines, type RecordVisitor, Sift, SiftedLines } from "../sift/index.ts";
import { CallFolder, type CallsCheckpoint } from "./calls.ts";
import { type ClaudeFacts, type ClaudeFile, noFacts } from "./facts.ts";
import { QuickClaude, recordOfRow } from "./quick.ts";
import { type AssistantRecord, type ClaudeRecord, readRecord, type UserRecord } from "./schema.ts";
import { CLAUDE_MEMBERS, type ClaudeMember, type ClaudeRule } from "./wanted.ts";

/** The state of a parser between two lines, as plain JSON. */
export interface ClaudeCheckpoint extends CallsCheckpoint {
  readonly at: { readonly number: number; readonly completeBytes: number };
  readonly facts: ClaudeFacts;
  readonly firstChainSeen: boolean;
  readonly queueAtMs?: number;
}

interface Tools {
  readonly sift: Sift<ClaudeMember, ClaudeRule>;
  readonly quick: QuickClaude;
}
/** Shared by all readings on a thread. */
let tools: Tools | undefined;

function toolsHere(): Tools {
  if (tools === undefined) {
    const sift = new Sift(CLAUDE_MEMBERS);
    tools = { sift, quick: new QuickClaude(sift) };
  }
  return tools;
}

/**
 * Reads one file, given in chunks that may be cut anywhere. Pure: equal bytes give equal facts. A file in which a message
 * id turns out to be shared by several calls comes back with the id in `untrusted` and must be read again
 * with it named, then its calls are told apart by their place.
 */
export class ClaudeParser implements RecordVisitor {
  readonly facts: ClaudeFacts;
  readonly sink: SiftedLines;
  readonly #calls: CallFolder;
  readonly #sift: Tools["sift"];
  readonly #quick: QuickClaude;
  readonly #hasUntrusted: boolean;
  #queueAtMs: number | undefined;
  #firstChainSeen: boolean;
  /** What the rows of calls are like. */
  #like: AssistantRecord | undefined;

  constructor(file: ClaudeFile, untrusted?: ReadonlySet<number>, resume?: ClaudeCheckpoint) {
    const { sift, quick } = toolsHere();
    this.#sift = sift;
    this.#quick = quick;
    this.#hasUntrusted = untrusted !== undefined;
    this.facts = resume?.facts ?? noFacts(file);
    this.sink = new SiftedLines(sift, this, resume?.at);
    this.#calls = new CallFolder(this.facts, untrusted, resume);
    this.#firstChainSeen = resume?.firstChainSeen ?? false;
    this.#queueAtMs = resume?.queueAtMs;
  }

  /** Everything up to the last full line, from which a later reading goes on as if there had been no stop. */
  checkpoint(): ClaudeCheckpoint {
    return {
      at: { number: this.sink.number, completeBytes: this.sink.completeBytes },
      facts: this.facts,
      firstChainSeen: this.#firstChainSeen,
      ...(this.#queueAtMs === undefined ? {} : { queueAtMs: this.#queueAtMs }),
      ...this.#calls.checkpoint(),
    };
  }

  push(chunk: Uint8Array): void {
    this.sink.push(chunk);
  }

  finish(): ClaudeFacts {
    this.sink.finish();
    this.facts.lines = this.sink.number;
    this.facts.bytes = this.sink.completeBytes;
    for (const call of this.facts.calls) {
      if (call.atMs === 0) call.atMs = this.facts.firstAtMs ?? 0;
    }
    return this.facts;
  }

  damage(line: number, reason: string): void {
    addDamage(this.facts.damaged, { path: this.facts.file.path, line, reason });
  }

  record(line: Fields, lineNumber: number): void {
    try {
      this.#take(readRecord(line), lineNumber);
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
      this.facts.warnings.push(`line ${lineNumber}: ${error.message}`);
    }
  }

  take(lineNumber: number): boolean {
    // Where ids are shared the tools decide, which the short way leaves out.
    const record = this.#hasUntrusted ? undefined : this.#quick.read();
    if (record === undefined) return false;
    this.#take(record, lineNumber);
    this.#settle(record);
    return true;
  }

  passed(lines: PassedLines): void {
    const { results, repeats } = this.#sift.rules;
    this.#calls.results(lines.lines(results));
    if (lines.lines(repeats) > 0) this.#calls.repeat(lines.last(repeats));
    if (lines.firstAtMs > lines.lastAtMs) return;
    this.#seeTime(lines.firstAtMs);
    this.#seeTime(lines.lastAtMs);
  }

  rows(rows: LineRows): void {
    const like = this.#like;
    if (like === undefined) throw new InvariantError("rows of calls before any call");
    const count = rows.rows;
    for (let row = 0; row < count; row += 1) {
      this.#calls.assistant(recordOfRow(like, rows, row), rows.firstLine(row));
      this.#calls.repeat(rows.lastLine(row));
    }
  }

  /** From here on records like this one need not be told. */
  #settle(record: ClaudeRecord): void {
    switch (record.kind) {
      case "assistant":
        this.#sift.settle("results");
        if (record.requestRef === undefined || record.atMs === undefined) return;
        this.#sift.settle("repeats");
        // What is in a usage that was not read again is not known to the rule.
        if (this.#sift.line.isSkipped(this.#sift.members.usage)) return;
        this.#sift.settle("calls");
        this.#like = record;
        return;
      case "user":
        this.#sift.settle("results");
        return;
      case "queue":
        if (this.#firstChainSeen) this.#sift.settle("queued");
        return;
      case "other":
        this.#sift.settle(record.isChain ? "others" : "beside");
        return;
      case "cost-state":
      case "error":
        return;
      default:
        assertNever(record);
    }
  }

  #take(record: ClaudeRecord, line: number): void {
    switch (record.kind) {
      case "assistant":
        this.#seeChain(record);
        this.#calls.assistant(record, line);
        return;
      case "user":
        this.#seeChain(record);
        this.#takeUser(record, line);
        return;
      case "cost-state": {
        const at = this.facts.lastAtMs;
        this.facts.costStates.push({
          line,
          models: record.models,
          ...(at === undefined ? {} : { atMs: at }),
        });
        return;
      }
      case "queue":
        if (!this.#firstChainSeen) this.#queueAtMs ??= record.atMs;
        return;
      case "error":
        this.#seeChain(record);
        this.facts.errors += 1;
        return;
      case "other":
        if (record.isChain) this.#seeChain(record);
    }
  }

  /** Session, time and place of any record of the conversation. */
  #seeChain(record: {
    readonly sessionId: string | undefined;
    readonly atMs: number | undefined;
    readonly cwd?: string | undefined;
    readonly branch?: string | undefined;
  }): void {
    const facts = this.facts;
    const { file } = facts;
    facts.hasChain = true;
    if (!this.#firstChainSeen) {
      this.#firstChainSeen = true;
      facts.queuedAtMs = this.#queueAtMs;
      if (this.#queueAtMs !== undefined && record.atMs !== undefined && this.#queueAtMs > record.atMs) {
        facts.isFork = true;
      }
    }
    if (file.subagent === undefined && record.sessionId !== undefined && record.sessionId !== file.session) {
      facts.isFork = true;
    }
    if (file.isSessionInside === true && record.sessionId !== undefined) {
      const { isSessionInside: _, ...place } = file;
      facts.file = { ...place, session: record.sessionId };
    }
    if (record.cwd !== undefined) facts.cwd ??= record.cwd;
    if (record.branch !== undefined) facts.branch ??= record.branch;
    if (record.atMs !== undefined) this.#seeTime(record.atMs);
  }

  #seeTime(atMs: number): void {
    const facts = this.facts;
    facts.firstAtMs = Math.min(facts.firstAtMs ?? atMs, atMs);
    facts.lastAtMs = Math.max(facts.lastAtMs ?? atMs, atMs);
  }

  #takeUser(record: UserRecord, line: number): void {
    this.#calls.user(record);
    if (!record.hasToolResults && record.uuid !== undefined) {
      this.facts.anchors.push({ line, uuid: record.uuid, atMs: record.atMs });
    }
  }
}
