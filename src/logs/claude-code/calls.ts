import { areComparable, haveSameInput } from "../call.ts";
import type { CallFact, ClaudeFacts } from "./facts.ts";
import { PlaceTracker } from "./places.ts";
import type { AssistantRecord, UserRecord } from "./schema.ts";
import { joinAdvisors, joinUsage } from "./spent.ts";

/** What a resumed reading must know of the calls besides the facts, as plain JSON. */
export interface CallsCheckpoint {
  readonly prompts: number;
  readonly results: number;
  readonly isForeign: boolean;
  /** Prompts and results when each call was last seen. */
  readonly seenAt: readonly (readonly [number, number])[];
}

/**
 * Folds the records of one file to calls. Ids in `untrusted`, if there are any, say nothing: their calls are told apart by
 * their place. An id that turns out to be shared by several calls is added to the facts.
 */
export class CallFolder {
  readonly #facts: ClaudeFacts;
  readonly #untrusted: ReadonlySet<number> | undefined;
  /** These are made when they are needed: most files need few of them. */
  #places: PlaceTracker | undefined;
  #byRef: Map<number, CallFact> | undefined;
  #byMessage: Map<number, CallFact> | undefined;
  #byUuid: Map<number, CallFact> | undefined;
  /** The last call whose request has a name of its own. */
  #last: CallFact | undefined;
  /** Prompts and tool results so far: what may stand between two records of one message id. */
  #prompts: number;
  #results: number;
  /** The last user's record names another session: one whose history this file starts with. */
  #isForeign: boolean;
  #seenAt: Map<CallFact, { prompts: number; results: number }> | undefined;

  constructor(
    facts: ClaudeFacts,
    untrusted: ReadonlySet<number> | undefined,
    resume: CallsCheckpoint | undefined,
  ) {
    this.#facts = facts;
    this.#untrusted = untrusted;
    this.#prompts = resume?.prompts ?? 0;
    this.#results = resume?.results ?? 0;
    this.#isForeign = resume?.isForeign ?? false;
    if (resume === undefined) return;
    for (const [i, call] of facts.calls.entries()) {
      this.#index(call, call.ref, call.messageId, call.uuids[0]);
      const [prompts, results] = resume.seenAt[i] ?? [0, 0];
      this.#see(call, prompts, results);
    }
  }

  checkpoint(): CallsCheckpoint {
    return {
      prompts: this.#prompts,
      results: this.#results,
      isForeign: this.#isForeign,
      seenAt: this.#facts.calls.map((call) => {
        const seen = this.#seenAt?.get(call);
        return [seen?.prompts ?? 0, seen?.results ?? 0];
      }),
    };
  }

  user(record: UserRecord): void {
    if (this.#untrusted !== undefined) this.#placesHere().user(record);
    if (record.isPrompt) this.#prompts += 1;
    if (record.hasToolResults) this.#results += 1;
    const { session, subagent } = this.#facts.file;
    if (record.sessionId !== undefined && subagent === undefined) {
      this.#isForeign = record.sessionId !== session;
    }
  }

  /** So many further tool results, where no id is untrusted. */
  results(count: number): void {
    this.#results += count;
  }

  /** Records of the last call whose request has a name went on up to this line and said nothing new. */
  repeat(line: number): void {
    if (this.#last !== undefined) this.#last.lastLine = line;
  }

  assistant(record: AssistantRecord, line: number): void {
    const isPlaced = this.#isPlaced(record);
    const known = isPlaced ? this.#placesHere().find(record) : this.#find(record);
    if (known !== undefined) {
      if (!isPlaced && record.requestRef === undefined) this.#doubt(known, record);
      fold(known, record, line);
    }
    const fact = known ?? this.#add(record, line);
    if (!isPlaced && known === undefined) {
      this.#index(fact, record.requestRef, record.messageId, record.uuid);
    }
    if (record.requestRef !== undefined) {
      this.#last = fact;
      return;
    }
    if (this.#untrusted !== undefined && record.messageId !== undefined)
      this.#placesHere().assistant(record, fact);
    this.#see(fact, this.#prompts, this.#results);
  }

  #placesHere(): PlaceTracker {
    this.#places ??= new PlaceTracker();
    return this.#places;
  }

  #see(call: CallFact, prompts: number, results: number): void {
    this.#seenAt ??= new Map();
    this.#seenAt.set(call, { prompts, results });
  }

  /** The call that the record belongs to by the request's own name, else by the message's id, else by its own. */
  #find({ requestRef, messageId, uuid }: AssistantRecord): CallFact | undefined {
    if (requestRef !== undefined) {
      return this.#last?.ref === requestRef ? this.#last : this.#byRef?.get(requestRef);
    }
    if (messageId !== undefined) return this.#byMessage?.get(messageId);
    return uuid === undefined ? undefined : this.#byUuid?.get(uuid);
  }

  #index(
    fact: CallFact,
    ref: number | undefined,
    message: number | undefined,
    uuid: number | undefined,
  ): void {
    if (ref !== undefined) {
      this.#byRef ??= new Map();
      this.#byRef.set(ref, fact);
    } else if (message !== undefined) {
      this.#byMessage ??= new Map();
      this.#byMessage.set(message, fact);
    } else if (uuid !== undefined) {
      this.#byUuid ??= new Map();
      this.#byUuid.set(uuid, fact);
    }
  }

  /** Told apart by its place, because its message id says nothing. */
  #isPlaced(record: AssistantRecord): boolean {
    return (
      record.requestRef === undefined &&
      record.messageId !== undefined &&
      this.#untrusted?.has(record.messageId) === true
    );
  }

  /** Looks for proof that a message id stands for several calls. */
  #doubt(known: CallFact, record: AssistantRecord): void {
    const id = record.messageId;
    if (id === undefined || this.#facts.untrusted.includes(id)) return;
    if (record.uuid !== undefined && known.uuids.includes(record.uuid)) return;
    const seen = this.#seenAt?.get(known) ?? { prompts: this.#prompts, results: this.#results };
    const { parentUuid } = record;
    const isOther = !haveSameInput(known.usage, record.usage);
    const hasParent = parentUuid !== undefined;
    const isElsewhere = !hasParent || (!known.uuids.includes(parentUuid) && parentUuid !== known.parentUuid);
    // History that is written again hangs on new records, but keeps the request's id and what was sent.
    const isCopy = isSame(known.requestId, record.requestId) && !isOther;
    const hasPrompt = seen.prompts < this.#prompts;
    const isProof =
      !areComparable(known.usage, record.usage) ||
      (!known.isSidechain && !record.isSidechain && differ(known.requestId, record.requestId)) ||
      (isElsewhere && hasParent && !isCopy && hasPrompt) ||
      (isElsewhere && isOther && (hasPrompt || seen.results < this.#results));
    if (isProof) this.#facts.untrusted.push(id);
  }

  #add(record: AssistantRecord, line: number): CallFact {
    const facts = this.#facts;
    const fact: CallFact = {
      firstLine: line,
      lastLine: line,
      ref: record.requestRef,
      messageId: record.messageId,
      uuids: record.uuid === undefined || record.requestRef !== undefined ? [] : [record.uuid],
      parentUuid: record.requestRef === undefined ? record.parentUuid : undefined,
      requestId: record.requestId,
      owner: record.requestSessionId,
      isForeign: this.#isForeign,
      subagent: facts.file.subagent ?? record.agentId,
      isSidechain: record.isSidechain || facts.file.subagent !== undefined,
      model: record.model,
      usage: record.usage,
      tier: record.tier,
      webSearches: record.webSearches,
      advisors: record.advisors,
      hasStopReason: record.hasStopReason,
      recordedUsd: record.recordedUsd,
      cwd: record.cwd,
      branch: record.branch,
      atMs: record.atMs ?? facts.lastAtMs ?? 0,
      isTimeGuessed: record.atMs === undefined,
    };
    facts.calls.push(fact);
    return fact;
  }
}

function fold(fact: CallFact, record: AssistantRecord, line: number): void {
  fact.lastLine = line;
  if (fact.usage !== record.usage) fact.usage = joinUsage(fact.usage, record.usage);
  fact.webSearches = Math.max(fact.webSearches, record.webSearches);
  fact.advisors = joinAdvisors(fact.advisors, record.advisors);
  fact.hasStopReason ||= record.hasStopReason;
  if (fact.ref === undefined && record.uuid !== undefined && !fact.uuids.includes(record.uuid))
    fact.uuids.push(record.uuid);
  if (record.requestId !== undefined) fact.requestId ??= record.requestId;
  if (record.requestSessionId !== undefined) fact.owner ??= record.requestSessionId;
  if (record.tier !== undefined) fact.tier ??= record.tier;
  if (record.recordedUsd !== undefined) {
    fact.recordedUsd = Math.max(fact.recordedUsd ?? 0, record.recordedUsd);
  }
  if (record.atMs !== undefined) fact.atMs = Math.min(fact.atMs === 0 ? record.atMs : fact.atMs, record.atMs);
}

function isSame(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && a === b;
}

function differ(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}
