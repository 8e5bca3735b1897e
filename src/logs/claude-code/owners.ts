import { haveSameInput } from "../call.ts";
import type { CallFact, ClaudeFacts } from "./facts.ts";

/** One file's view of a call. */
export interface Copy {
  readonly facts: ClaudeFacts;
  readonly call: CallFact;
}

/** All copies of one call, and the session that made it. */
export interface OwnedCall {
  readonly key: string;
  readonly owner: string;
  readonly copies: readonly Copy[];
}

/** Puts together what is one call, whatever number of files repeat it, and finds whose it is. */
export function ownedCalls(files: readonly ClaudeFacts[]): OwnedCall[] {
  const copies = files.flatMap((facts) => facts.calls.map((call) => ({ facts, call })));
  const untrusted = untrustedIds(files, copies);
  const refs = refsById(copies);
  const groups = new Map<string, Copy[]>();
  for (const copy of copies) {
    const key = keyOf(copy, untrusted, refs);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [copy]);
    else group.push(copy);
  }
  return [...groups].map(([key, group]) => ({ key, owner: ownerOf(group), copies: group }));
}

function keyOf(
  { facts, call }: Copy,
  untrusted: ReadonlySet<string>,
  refs: ReadonlyMap<string, string | null>,
): string {
  if (call.ref !== undefined) return `r:${call.ref}`;
  const id = call.messageId;
  if (id !== undefined && !untrusted.has(id)) {
    // A copy that lost the request's own name still belongs to it, while the message has just one.
    const ref = refs.get(id);
    return ref === undefined || ref === null ? `m:${id}` : `r:${ref}`;
  }
  return call.uuids[0] === undefined ? `p:${facts.file.path}:${call.firstLine}` : `u:${call.uuids[0]}`;
}

/** The one request of each message id; null when several requests share the id. */
function refsById(copies: readonly Copy[]): Map<string, string | null> {
  const refs = new Map<string, string | null>();
  for (const { call } of copies) {
    if (call.ref === undefined || call.messageId === undefined) continue;
    const known = refs.get(call.messageId);
    refs.set(call.messageId, known === undefined || known === call.ref ? call.ref : null);
  }
  return refs;
}

/**
 * Ids that gateways give to several calls. Besides what single files prove: two files that share no record of the id and
 * disagree on what was sent hold two calls, since copies keep their records' uuids or at least their counts.
 */
function untrustedIds(files: readonly ClaudeFacts[], copies: readonly Copy[]): Set<string> {
  const untrusted = new Set(files.flatMap((facts) => facts.untrusted));
  const byId = new Map<string, Copy[]>();
  for (const copy of copies) {
    const id = copy.call.messageId;
    if (id === undefined || copy.call.ref !== undefined || untrusted.has(id)) continue;
    const group = byId.get(id);
    if (group === undefined) byId.set(id, [copy]);
    else if (group.some((other) => areDifferentCalls(other, copy))) untrusted.add(id);
    else group.push(copy);
  }
  return untrusted;
}

function areDifferentCalls(a: Copy, b: Copy): boolean {
  if (a.facts === b.facts || haveSameInput(a.call.usage, b.call.usage)) return false;
  return !a.call.uuids.some((uuid) => b.call.uuids.includes(uuid));
}

interface Candidate {
  readonly session: string;
  readonly hasRequestId: boolean;
  readonly atMs: number;
  readonly isFork: boolean;
}

/** Whose call it is, by what the copies themselves say; never by which file was read first. */
function ownerOf(copies: readonly Copy[]): string {
  const [first] = copies;
  if (copies.length === 1 && first !== undefined) return first.call.owner ?? first.facts.file.session;
  const named = copies.flatMap(({ call }) => call.owner ?? []).sort()[0];
  // Even when its own file is gone: an inherited call is not the fork's.
  if (named !== undefined) return named;
  let candidates = candidatesOf(copies);
  if (candidates.some((candidate) => candidate.hasRequestId)) {
    candidates = candidates.filter((candidate) => candidate.hasRequestId);
  }
  const earliest = Math.min(...candidates.map((candidate) => candidate.atMs));
  candidates = candidates.filter((candidate) => candidate.atMs === earliest);
  const originals = candidates.filter((candidate) => !candidate.isFork);
  const [owner] = (originals.length > 0 ? originals : candidates)
    .map((candidate) => candidate.session)
    .sort();
  return owner ?? "";
}

function candidatesOf(copies: readonly Copy[]): Candidate[] {
  const bySession = new Map<string, Candidate>();
  for (const { facts, call } of copies) {
    const { session } = facts.file;
    const before = bySession.get(session);
    bySession.set(session, {
      session,
      hasRequestId: call.requestId !== undefined || before?.hasRequestId === true,
      atMs: Math.min(call.isTimeGuessed ? Number.MAX_SAFE_INTEGER : call.atMs, before?.atMs ?? Infinity),
      isFork: facts.isFork || before?.isFork === true,
    });
  }
  return [...bySession.values()];
}
