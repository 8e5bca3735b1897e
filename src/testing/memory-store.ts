import {
  checkoutBusy,
  grantLease,
  headMoved,
  noSuchSession,
  staleLease,
} from "../adapters/store-sqlite/rules.ts";
import { EMPTY_CHAIN, extendChain, storedJson } from "../core/chain.ts";
import { type Digest, sha256 } from "../core/hash.ts";
import type { SessionId } from "../core/ids.ts";
import { InvariantError, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { Clock } from "../ports/clock.ts";
import type { AttemptQueue } from "../ports/queue.ts";
import type {
  Append,
  InboxCommand,
  LeaseHolder,
  SessionFilter,
  SessionLease,
  SessionSummary,
  Store,
  StoredEvent,
} from "../ports/store.ts";
import { MemoryLoopRecords } from "./memory-loop-records.ts";
import { MemoryQueue } from "./memory-queue.ts";

interface Session {
  readonly summary: SessionSummary;
  readonly events: readonly StoredEvent[];
  readonly fence: number;
  readonly held?: SessionLease;
}

/** Store and queue in memory: the promises of the ports without the disk, for tests of what is built on them. */
export function memoryStore(clock: Clock): { readonly store: Store; readonly queue: AttemptQueue } {
  const queue = new MemoryQueue();
  return { store: new MemoryStore(clock, queue), queue };
}

class MemoryStore extends MemoryLoopRecords implements Store {
  readonly #clock: Clock;
  readonly #queue: MemoryQueue;
  readonly #sessions = new Map<SessionId, Session>();
  readonly #checkouts = new Map<string, { readonly session: SessionId; readonly holder: LeaseHolder }>();
  readonly #commands = new Map<string, { readonly command: InboxCommand; readonly answered: boolean }>();
  readonly #blobs = new Map<Digest, Uint8Array>();

  constructor(clock: Clock, queue: MemoryQueue) {
    super();
    this.#clock = clock;
    this.#queue = queue;
  }

  async createSession(...[session, topLevel, events, summary, lease]: Parameters<Store["createSession"]>) {
    if (this.#sessions.has(session)) throw new InvariantError(`session ${session} exists already`);
    const chain = extendChain(session, EMPTY_CHAIN, events);
    const siblings = [...this.#sessions.values()].filter((other) => other.summary.topLevel === topLevel);
    const createdAt = events[0]?.at ?? instant(this.#clock.now());
    const created: SessionSummary = {
      session,
      number: Math.max(0, ...siblings.map((other) => other.summary.number)) + 1,
      topLevel,
      ...summary,
      projection: storedJson(summary.projection),
      createdAt,
      updatedAt: events.at(-1)?.at ?? createdAt,
      head: headOf(chain),
    };
    const held = { session, ...lease, fence: 1 };
    this.#sessions.set(session, { summary: created, events: chain, fence: 1, held });
    return ok({ summary: created, lease: held });
  }

  async append(append: Append) {
    const { session: id, fence, expectedHead, acknowledge = [], enqueue = [], answered = [] } = append;
    const session = this.#sessions.get(id);
    if (session === undefined) return noSuchSession(id);
    if (session.held === undefined || session.fence !== fence) return staleLease(id, fence);
    const found = session.summary.head;
    if (found.seq !== expectedHead.seq || found.hash !== expectedHead.hash) {
      return headMoved(id, expectedHead.seq, found.seq);
    }
    this.#queue.check(enqueue, acknowledge);
    this.#checkPending(id, answered);
    const events = extendChain(id, found, append.events);
    const chain = [...session.events, ...events];
    const summary = summaryAfter(session.summary, append.summary, chain, events.at(-1)?.at);
    this.#sessions.set(id, { ...session, summary, events: chain });
    this.#queue.apply(enqueue, acknowledge);
    for (const id of answered) this.#answer(id);
    return ok({ head: summary.head, events });
  }

  async events(session: SessionId, afterSeq: number, limit?: number) {
    const rest = (this.#sessions.get(session)?.events ?? []).slice(afterSeq);
    return ok(rest.slice(0, limit));
  }

  async head(session: SessionId) {
    const found = this.#sessions.get(session);
    return found === undefined ? noSuchSession(session) : ok(found.summary.head);
  }

  async session(session: SessionId) {
    return ok(this.#sessions.get(session)?.summary);
  }

  async sessions({ topLevel, states, limit }: SessionFilter) {
    const found = [...this.#sessions.values()]
      .map((session) => session.summary)
      .filter((summary) => topLevel === undefined || summary.topLevel === topLevel)
      .filter((summary) => states === undefined || states.includes(summary.state))
      .sort((a, b) => after(a.createdAt, b.createdAt) || b.number - a.number || after(a.session, b.session));
    return ok(found.slice(0, limit));
  }

  async acquireLease(...[id, request, now, allowTakeover]: Parameters<Store["acquireLease"]>) {
    const session = this.#sessions.get(id);
    if (session === undefined) return noSuchSession(id);
    const granted = grantLease(id, session, request, now, allowTakeover);
    if (granted.ok) this.#sessions.set(id, { ...session, fence: granted.value.fence, held: granted.value });
    return granted;
  }

  async lease(session: SessionId) {
    return ok(this.#sessions.get(session)?.held);
  }

  async renewLease(id: SessionId, fence: number, expiresAt: string) {
    const session = this.#sessions.get(id);
    if (session?.held === undefined || session.fence !== fence) return ok("lost" as const);
    this.#sessions.set(id, { ...session, held: { ...session.held, expiresAt } });
    return ok("renewed" as const);
  }

  async releaseLease(id: SessionId, fence: number) {
    const session = this.#sessions.get(id);
    if (session?.fence === fence) {
      const { held: _, ...free } = session;
      this.#sessions.set(id, free);
    }
    return ok(undefined);
  }

  async lockCheckout(realPath: string, session: SessionId, holder: LeaseHolder): Promise<Result<void>> {
    const lock = this.#checkouts.get(realPath);
    if (lock !== undefined && lock.session !== session)
      return checkoutBusy(realPath, lock.session, lock.holder);
    this.#checkouts.set(realPath, { session, holder });
    return ok(undefined);
  }

  async unlockCheckout(realPath: string, session: SessionId) {
    if (this.#checkouts.get(realPath)?.session === session) this.#checkouts.delete(realPath);
    return ok(undefined);
  }

  async checkoutLock(realPath: string) {
    return ok(this.#checkouts.get(realPath));
  }

  async submitCommand(command: InboxCommand): Promise<Result<void>> {
    if (!this.#sessions.has(command.session)) return noSuchSession(command.session);
    if (!this.#commands.has(command.id)) {
      const stored = { ...command, payload: storedJson(command.payload) };
      this.#commands.set(command.id, { command: stored, answered: false });
    }
    return ok(undefined);
  }

  async pendingCommands(session: SessionId) {
    const pending = [...this.#commands.values()].filter((entry) => !entry.answered);
    return ok(pending.map((entry) => entry.command).filter((command) => command.session === session));
  }

  async putBlob(bytes: Uint8Array | string) {
    const digest = sha256(bytes);
    this.#blobs.set(digest, Uint8Array.from(Buffer.from(bytes)));
    return ok(digest);
  }

  async integrity() {
    const wrong = [...this.#blobs].filter(([digest, bytes]) => sha256(bytes) !== digest);
    return ok(wrong.map(([digest]) => `the bytes of blob ${digest} hash to something else`));
  }

  async blob(digest: Digest) {
    return ok(this.#blobs.get(digest)?.slice());
  }

  async close() {}

  #checkPending(session: SessionId, answered: readonly string[]): void {
    for (const [index, id] of answered.entries()) {
      const entry = this.#commands.get(id);
      if (entry?.command.session !== session || entry.answered || answered.indexOf(id) !== index) {
        throw new InvariantError(`command ${id} is not pending in session ${session}`);
      }
    }
  }

  #answer(id: string): void {
    const entry = this.#commands.get(id);
    if (entry !== undefined) this.#commands.set(id, { ...entry, answered: true });
  }
}

function summaryAfter(
  before: SessionSummary,
  change: Append["summary"],
  chain: readonly StoredEvent[],
  at: string | undefined,
): SessionSummary {
  const { outcome: _, ...kept } = before;
  return {
    ...kept,
    ...change,
    projection: storedJson(change.projection),
    updatedAt: at ?? before.updatedAt,
    head: headOf(chain),
  };
}

function headOf(chain: readonly StoredEvent[]) {
  const last = chain.at(-1);
  return last === undefined ? EMPTY_CHAIN : { seq: last.seq, hash: last.hash };
}

/** Descending order. */
function after(a: string, b: string): number {
  return a === b ? 0 : a < b ? 1 : -1;
}
