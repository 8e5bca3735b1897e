import { areComparable, haveSameInput, maxUsage } from "../call.ts";
import { BadCount, parseFields } from "../fields.ts";
import { addDamage, LineScanner, type LineVisitor, type MarkedLine } from "../lines.ts";
import { aroundContent } from "./around-content.ts";
import { type CallFact, type ClaudeFacts, type ClaudeFile, noFacts } from "./facts.ts";
import { PlaceTracker } from "./places.ts";
import {
  type AssistantRecord,
  type ClaudeRecord,
  readRecord,
  readSpent,
  type SpentTokens,
  type UserRecord,
} from "./schema.ts";

/** How far into a line its type and the kind of its first content block stand, with every known writer. */
const KIND_BYTES = 1024;
const USAGE = Buffer.from('"usage"');
const ASSISTANT = Buffer.from('"assistant"');
/** What tells a fork stands on small lines in front of the first answer; larger ones there are copies of requests. */
const HEAD_LINE_BYTES = 8192;
const HEAD_LINES = 200;

/** The state of a parser between two lines, as plain JSON. */
export interface ClaudeCheckpoint {
  readonly at: { readonly number: number; readonly completeBytes: number };
  readonly facts: ClaudeFacts;
  readonly isInHead: boolean;
  readonly firstChainSeen: boolean;
  readonly queueAtMs?: number;
  readonly prompts: number;
  readonly results: number;
  /** Prompts and results when each call was last seen. */
  readonly seenAt: readonly (readonly [number, number])[];
}

/**
 * Reads one file, given in chunks that may be cut anywhere. Pure: equal bytes give equal facts. A file in which a message
 * id turns out to be shared by several calls comes back with the id in `untrusted` and must be read again
 * with it named, then its calls are told apart by their place.
 */
export class ClaudeParser implements LineVisitor {
  readonly facts: ClaudeFacts;
  readonly #scanner: LineScanner;
  readonly #untrusted: ReadonlySet<string>;
  readonly #places = new PlaceTracker();
  readonly #byKey = new Map<string, CallFact>();
  readonly #strings = new Map<string, string>();
  #lastUsage: { readonly text: string; readonly spent: SpentTokens } | undefined;
  #isInHead = true;
  #queueAtMs: number | undefined;
  #firstChainSeen = false;
  /** Prompts and tool results so far: what may stand between two records of one message id. */
  #prompts = 0;
  #results = 0;
  readonly #seenAt = new Map<CallFact, { prompts: number; results: number }>();

  constructor(file: ClaudeFile, untrusted: ReadonlySet<string> = new Set(), resume?: ClaudeCheckpoint) {
    this.facts = resume?.facts ?? noFacts(file);
    this.#untrusted = untrusted;
    this.#scanner = new LineScanner([], this, resume?.at);
    if (resume === undefined) return;
    this.#isInHead = resume.isInHead;
    this.#firstChainSeen = resume.firstChainSeen;
    this.#queueAtMs = resume.queueAtMs;
    this.#prompts = resume.prompts;
    this.#results = resume.results;
    for (const [i, call] of this.facts.calls.entries()) {
      const key = keyOf(call.ref, call.messageId, call.uuids[0]);
      if (key !== undefined) this.#byKey.set(key, call);
      const [prompts, results] = resume.seenAt[i] ?? [0, 0];
      this.#seenAt.set(call, { prompts, results });
    }
  }

  /** Everything up to the last full line, from which a later reading goes on as if there had been no stop. */
  checkpoint(): ClaudeCheckpoint {
    return {
      at: { number: this.#scanner.number, completeBytes: this.#scanner.completeBytes },
      facts: this.facts,
      isInHead: this.#isInHead,
      firstChainSeen: this.#firstChainSeen,
      ...(this.#queueAtMs === undefined ? {} : { queueAtMs: this.#queueAtMs }),
      prompts: this.#prompts,
      results: this.#results,
      seenAt: this.facts.calls.map((call) => {
        const seen = this.#seenAt.get(call);
        return [seen?.prompts ?? 0, seen?.results ?? 0];
      }),
    };
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): ClaudeFacts {
    this.#scanner.finish();
    this.facts.lines = this.#scanner.number;
    this.facts.bytes = this.#scanner.completeBytes;
    for (const call of this.facts.calls) {
      if (call.atMs === 0) call.atMs = this.facts.firstAtMs ?? 0;
    }
    return this.facts;
  }

  damage(line: number, reason: string): void {
    addDamage(this.facts.damaged, { path: this.facts.file.path, line, reason });
  }

  line(line: MarkedLine): void {
    if (this.#isInHead && line.number > HEAD_LINES) this.#isInHead = false;
    const start = line.bytes(0, KIND_BYTES);
    // Where ids are shared the content decides, which the short way leaves out.
    const around = this.#untrusted.size === 0 ? aroundContent(line, start) : undefined;
    if (around === undefined && !this.#isWanted(line, start)) return;
    const parsed = around?.record ?? parseFields(line.text());
    if (parsed === undefined) return;
    if (parsed === "broken") {
      this.damage(line.number, "broken JSON");
      return;
    }
    try {
      const usage = around === undefined ? undefined : this.#usageOf(around.usageText);
      this.#take(readRecord(parsed, usage), line.number);
    } catch (error) {
      if (!(error instanceof BadCount)) throw error;
      this.facts.warnings.push(`line ${line.number}: ${error.message}`);
    }
  }

  /** The records of one call repeat its usage to the letter. */
  #usageOf(text: string): SpentTokens {
    if (this.#lastUsage?.text === text) return this.#lastUsage.spent;
    const parsed = parseFields(text);
    if (parsed === undefined || parsed === "broken") throw new BadCount("the usage is no object");
    const spent = readSpent(parsed);
    this.#lastUsage = { text, spent };
    return spent;
  }

  /** Whether a line must be parsed whole, told from its start as far as that goes. */
  #isWanted(line: MarkedLine, start: string): boolean {
    const isUser = start.includes('"type":"user"');
    const isResult = isUser && start.includes('"tool_result"');
    if (isResult) this.#results += 1;
    if (this.#isInHead && line.byteLength <= HEAD_LINE_BYTES) return true;
    if (isUser) return !isResult || this.#untrusted.size > 0;
    if (start.includes('"cost-state"')) return true;
    const idle = /^\{"type":"([a-z-]+)"/.exec(start)?.[1];
    if (idle !== undefined && idle !== "assistant") return false;
    return line.holds(USAGE, 0, line.byteLength) && line.holds(ASSISTANT, 0, line.byteLength);
  }

  #take(record: ClaudeRecord, line: number): void {
    switch (record.kind) {
      case "assistant":
        this.#seeChain(record);
        this.#isInHead = false;
        this.#takeCall(record, line);
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
  #seeChain(record: { sessionId?: string; atMs?: number; cwd?: string; branch?: string }): void {
    const facts = this.facts;
    const { file } = facts;
    facts.hasChain = true;
    if (!this.#firstChainSeen) {
      this.#firstChainSeen = true;
      if (this.#queueAtMs !== undefined && record.atMs !== undefined && this.#queueAtMs > record.atMs) {
        facts.isFork = true;
      }
    }
    if (file.subagent === undefined && record.sessionId !== undefined && record.sessionId !== file.session) {
      facts.isFork = true;
    }
    if (record.cwd !== undefined) facts.cwd ??= record.cwd;
    if (record.branch !== undefined) facts.branch ??= record.branch;
    if (record.atMs === undefined) return;
    facts.firstAtMs = Math.min(facts.firstAtMs ?? record.atMs, record.atMs);
    facts.lastAtMs = Math.max(facts.lastAtMs ?? record.atMs, record.atMs);
  }

  #takeUser(record: UserRecord, line: number): void {
    this.#places.user(record);
    if (record.isPrompt) this.#prompts += 1;
    if (record.toolResults.length === 0 && record.uuid !== undefined) {
      const at = record.atMs;
      this.facts.anchors.push({ line, uuid: record.uuid, ...(at === undefined ? {} : { atMs: at }) });
    }
  }

  #takeCall(record: AssistantRecord, line: number): void {
    const isPlaced = this.#isPlaced(record);
    const key = keyOf(record.requestRef, record.messageId, record.uuid);
    const known = isPlaced ? this.#places.find(record) : key === undefined ? undefined : this.#byKey.get(key);
    if (known !== undefined) {
      if (!isPlaced && record.requestRef === undefined) this.#doubt(known, record);
      fold(known, record, line);
    }
    const fact = known ?? this.#add(record, line);
    if (!isPlaced && key !== undefined) this.#byKey.set(key, fact);
    if (record.messageId !== undefined) this.#places.assistant(record, fact);
    this.#seenAt.set(fact, { prompts: this.#prompts, results: this.#results });
  }

  /** Told apart by its place, because its message id says nothing. */
  #isPlaced(record: AssistantRecord): boolean {
    return (
      record.requestRef === undefined &&
      record.messageId !== undefined &&
      this.#untrusted.has(record.messageId)
    );
  }

  /** Looks for proof that a message id stands for several calls. */
  #doubt(known: CallFact, record: AssistantRecord): void {
    const id = record.messageId;
    if (id === undefined || this.facts.untrusted.includes(id)) return;
    if (record.uuid !== undefined && known.uuids.includes(record.uuid)) return;
    const seen = this.#seenAt.get(known) ?? { prompts: this.#prompts, results: this.#results };
    const isChild = record.parentUuid === undefined || known.uuids.includes(record.parentUuid);
    const isElsewhere = !isChild && record.parentUuid !== known.parentUuid;
    const isProof =
      !areComparable(known.usage, record.usage) ||
      (!known.isSidechain && !record.isSidechain && differ(known.requestId, record.requestId)) ||
      (isElsewhere && seen.prompts < this.#prompts) ||
      (isElsewhere && seen.results < this.#results && !haveSameInput(known.usage, record.usage));
    if (isProof) this.facts.untrusted.push(id);
  }

  #add(record: AssistantRecord, line: number): CallFact {
    const { facts } = this;
    const subagent = facts.file.subagent ?? record.agentId;
    const fact: { -readonly [K in keyof CallFact]: CallFact[K] } = {
      firstLine: line,
      lastLine: line,
      uuids: record.uuid === undefined ? [] : [record.uuid],
      isSidechain: record.isSidechain || facts.file.subagent !== undefined,
      model: this.#same(record.model),
      usage: record.usage,
      webSearches: record.webSearches,
      advisors: record.advisors,
      hasStopReason: record.hasStopReason,
      atMs: record.atMs ?? facts.lastAtMs ?? 0,
      isTimeGuessed: record.atMs === undefined,
    };
    if (record.requestRef !== undefined) fact.ref = record.requestRef;
    if (record.messageId !== undefined) fact.messageId = record.messageId;
    if (record.parentUuid !== undefined) fact.parentUuid = record.parentUuid;
    if (record.requestId !== undefined) fact.requestId = record.requestId;
    if (record.requestSessionId !== undefined) fact.owner = record.requestSessionId;
    if (subagent !== undefined) fact.subagent = this.#same(subagent);
    if (record.tier !== undefined) fact.tier = record.tier;
    if (record.recordedUsd !== undefined) fact.recordedUsd = record.recordedUsd;
    if (record.cwd !== undefined) fact.cwd = this.#same(record.cwd);
    if (record.branch !== undefined) fact.branch = this.#same(record.branch);
    facts.calls.push(fact);
    return fact;
  }

  /** One string object for equal strings: a file repeats few of them on every record. */
  #same(value: string): string {
    const known = this.#strings.get(value);
    if (known !== undefined) return known;
    this.#strings.set(value, value);
    return value;
  }
}

function keyOf(ref: string | undefined, message: string | undefined, uuid: string | undefined) {
  if (ref !== undefined) return `r:${ref}`;
  if (message !== undefined) return `m:${message}`;
  return uuid === undefined ? undefined : `u:${uuid}`;
}

function fold(fact: CallFact, record: AssistantRecord, line: number): void {
  fact.lastLine = line;
  if (fact.usage !== record.usage) fact.usage = maxUsage(fact.usage, record.usage);
  fact.webSearches = Math.max(fact.webSearches, record.webSearches);
  if (record.advisors.length > fact.advisors.length) fact.advisors = record.advisors;
  fact.hasStopReason ||= record.hasStopReason;
  if (record.uuid !== undefined && !fact.uuids.includes(record.uuid)) fact.uuids.push(record.uuid);
  if (record.requestId !== undefined) fact.requestId ??= record.requestId;
  if (record.requestSessionId !== undefined) fact.owner ??= record.requestSessionId;
  if (record.tier !== undefined) fact.tier ??= record.tier;
  if (record.recordedUsd !== undefined) {
    fact.recordedUsd = Math.max(fact.recordedUsd ?? 0, record.recordedUsd);
  }
  if (record.atMs !== undefined) fact.atMs = Math.min(fact.atMs === 0 ? record.atMs : fact.atMs, record.atMs);
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}
