import { haveSameInput } from "../call.ts";
import type { CallFact, ClaudeFacts } from "./facts.ts";

/** One file's view of a call. */
export interface Copy {
  readonly facts: ClaudeFacts;
  readonly call: CallFact;
}

/** All copies of one call, and the session that made it. */
export interface OwnedCall {
  readonly owner: string;
  readonly copies: readonly Copy[];
}

/**
 * Puts together what is one call, whatever number of files repeat it, and finds whose it is. Loops and maps by plain ids,
 * because this is done for every call of every log.
 */
export function ownedCalls(files: readonly ClaudeFacts[]): OwnedCall[] {
  const copies: Copy[] = [];
  const unnamed: Copy[] = [];
  for (const facts of files) {
    for (const call of facts.calls) {
      const copy = { facts, call };
      copies.push(copy);
      if (call.ref === undefined) unnamed.push(copy);
    }
  }
  const [only] = files;
  // In one file a request's own name stands for one call.
  if (unnamed.length === 0 && files.length === 1 && only !== undefined) {
    return copies.map((copy) => ({ owner: copy.call.owner ?? only.file.session, copies: [copy] }));
  }
  const groups = new CallGroups(
    untrustedIds(files, unnamed),
    unnamed.length === 0 ? NO_REFS : refsById(copies),
  );
  for (const copy of copies) groups.add(copy);
  const owned: OwnedCall[] = [];
  const origins = originsOf(files);
  for (const group of groups.all) owned.push({ owner: ownerOf(group, origins), copies: group });
  return owned;
}

const NO_REFS: ReadonlyMap<number, number | null> = new Map();

/** Copies of one call each, in the order in which the calls first came. */
class CallGroups {
  readonly all: Copy[][] = [];
  readonly #untrusted: ReadonlySet<number>;
  readonly #refs: ReadonlyMap<number, number | null>;
  readonly #byRef = new Map<number, Copy[]>();
  readonly #byMessage = new Map<number, Copy[]>();
  readonly #byUuid = new Map<number, Copy[]>();

  constructor(untrusted: ReadonlySet<number>, refs: ReadonlyMap<number, number | null>) {
    this.#untrusted = untrusted;
    this.#refs = refs;
  }

  add(copy: Copy): void {
    const { ref, messageId, uuids } = copy.call;
    if (ref !== undefined) this.#into(this.#byRef, ref, copy);
    else if (messageId !== undefined && !this.#untrusted.has(messageId)) {
      // A copy that lost the request's own name still belongs to it, while the message has just one.
      const only = this.#refs.get(messageId) ?? undefined;
      if (only === undefined) this.#into(this.#byMessage, messageId, copy);
      else this.#into(this.#byRef, only, copy);
    } else if (uuids[0] !== undefined) this.#into(this.#byUuid, uuids[0], copy);
    else this.all.push([copy]);
  }

  #into(groups: Map<number, Copy[]>, id: number, copy: Copy): void {
    const group = groups.get(id);
    if (group !== undefined) {
      group.push(copy);
      return;
    }
    const made = [copy];
    groups.set(id, made);
    this.all.push(made);
  }
}

/** The one request of each message id; null when several requests share the id. */
function refsById(copies: readonly Copy[]): Map<number, number | null> {
  const refs = new Map<number, number | null>();
  for (const { call } of copies) {
    if (call.ref === undefined || call.messageId === undefined) continue;
    const known = refs.get(call.messageId);
    refs.set(call.messageId, known === undefined || known === call.ref ? call.ref : null);
  }
  return refs;
}

/**
 * Ids that gateways give to several calls. Besides what single files prove: two files that share no record of the id and
 * disagree on what was sent hold two calls, since copies keep their records' uuids or at least their counts. Where no
 * request has an id, the size of the answer tells calls of several sessions apart too.
 */
function untrustedIds(files: readonly ClaudeFacts[], unnamed: readonly Copy[]): Set<number> {
  const untrusted = new Set<number>();
  for (const facts of files) for (const id of facts.untrusted) untrusted.add(id);
  const byId = new Map<number, Copy[]>();
  for (const copy of unnamed) {
    const id = copy.call.messageId;
    if (id === undefined || untrusted.has(id)) continue;
    const group = byId.get(id);
    if (group === undefined) byId.set(id, [copy]);
    else if (group.some((other) => areDifferentCalls(other, copy))) untrusted.add(id);
    else group.push(copy);
  }
  return untrusted;
}

function areDifferentCalls(a: Copy, b: Copy): boolean {
  if (a.facts === b.facts || a.call.uuids.some((uuid) => b.call.uuids.includes(uuid))) return false;
  if (!haveSameInput(a.call.usage, b.call.usage)) return true;
  if (a.facts.file.session === b.facts.file.session) return false;
  // An answer that was cut short says nothing of its size.
  const areWhole = a.call.hasStopReason && b.call.hasStopReason;
  const isNamed = a.call.requestId !== undefined || b.call.requestId !== undefined;
  return areWhole && !isNamed && a.call.usage.outputTokens !== b.call.usage.outputTokens;
}

/** What the sessions' files say of how they began. */
interface Origins {
  /** Sessions one of whose files starts with somebody else's history. */
  readonly forks: ReadonlySet<string>;
  readonly queuedAtMs: ReadonlyMap<string, number>;
}

function originsOf(files: readonly ClaudeFacts[]): Origins {
  const forks = new Set<string>();
  const queuedAtMs = new Map<string, number>();
  for (const { file, isFork, queuedAtMs: atMs } of files) {
    if (isFork) forks.add(file.session);
    if (atMs === undefined || file.subagent !== undefined) continue;
    queuedAtMs.set(file.session, Math.min(queuedAtMs.get(file.session) ?? Infinity, atMs));
  }
  return { forks, queuedAtMs };
}

interface Candidate {
  readonly session: string;
  readonly hasRequestId: boolean;
  readonly atMs: number;
  /** Made before the session began, or in answer to another one: even a fork's own calls are not. */
  readonly isInherited: boolean;
}

/** Whose call it is, by what the copies themselves say; never by which file was read first. */
function ownerOf(copies: readonly Copy[], origins: Origins): string {
  const [first] = copies;
  if (copies.length === 1 && first !== undefined) return first.call.owner ?? first.facts.file.session;
  const named = copies.flatMap(({ call }) => call.owner ?? []).sort()[0];
  // Even when its own file is gone: an inherited call is not the fork's.
  if (named !== undefined) return named;
  let candidates = candidatesOf(copies, origins);
  candidates = preferred(candidates, (candidate) => candidate.hasRequestId);
  const earliest = Math.min(...candidates.map((candidate) => candidate.atMs));
  candidates = candidates.filter((candidate) => candidate.atMs === earliest);
  candidates = preferred(candidates, (candidate) => !candidate.isInherited);
  candidates = preferred(candidates, (candidate) => !origins.forks.has(candidate.session));
  const [owner] = candidates.map((candidate) => candidate.session).sort();
  return owner ?? "";
}

/** Those that fit, if there are any. */
function preferred(
  candidates: readonly Candidate[],
  fits: (candidate: Candidate) => boolean,
): readonly Candidate[] {
  const fitting = candidates.filter(fits);
  return fitting.length > 0 ? fitting : candidates;
}

function candidatesOf(copies: readonly Copy[], { queuedAtMs }: Origins): readonly Candidate[] {
  const bySession = new Map<string, Candidate>();
  for (const { facts, call } of copies) {
    const { session } = facts.file;
    const before = bySession.get(session);
    const isEarlier = !call.isTimeGuessed && call.atMs < (queuedAtMs.get(session) ?? -Infinity);
    bySession.set(session, {
      session,
      hasRequestId: call.requestId !== undefined || before?.hasRequestId === true,
      atMs: Math.min(call.isTimeGuessed ? Number.MAX_SAFE_INTEGER : call.atMs, before?.atMs ?? Infinity),
      isInherited: (isEarlier || call.isForeign) && before?.isInherited !== false,
    });
  }
  return [...bySession.values()];
}
