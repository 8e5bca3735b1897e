import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type Database, loadDriver } from "../../src/adapters/store-sqlite/driver.ts";
import { type OpenedStore, openStore, type StoreOptions } from "../../src/adapters/store-sqlite/index.ts";
import { EMPTY_CHAIN } from "../../src/core/chain.ts";
import { sha256 } from "../../src/core/hash.ts";
import { type AttemptId, makeId, type RunId, type SessionId } from "../../src/core/ids.ts";
import { must, type Result } from "../../src/core/result.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Claim } from "../../src/ports/queue.ts";
import type {
  Append,
  LeaseHolder,
  NewEvent,
  QueuedAttempt,
  RunRow,
  SessionLease,
} from "../../src/ports/store.ts";
import { memoryStore } from "../../src/testing/memory-store.ts";

export const T0 = "2026-11-30T10:00:00.000Z";
export const T1 = "2026-11-30T10:00:30.000Z";
export const T2 = "2026-11-30T10:01:00.000Z";

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => pause(ms),
};

export function temporaryHome(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopwright-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "home");
}

export async function sqliteStore(home: string, options?: StoreOptions): Promise<OpenedStore> {
  const opened = must(await openStore(home, realClock, options));
  onTestFinished(() => opened.store.close());
  return opened;
}

/** Every adapter that keeps the promises of the two ports. */
export const ADAPTERS: readonly { readonly name: string; readonly open: () => Promise<OpenedStore> }[] = [
  { name: "in memory", open: async () => memoryStore(realClock) },
  { name: "embedded", open: () => sqliteStore(temporaryHome()) },
];

export function sessionId(n: number): SessionId {
  return makeId("session", n, new Uint8Array(10));
}
export function attemptId(n: number): AttemptId {
  return makeId("attempt", n, new Uint8Array(10));
}
export function runId(n: number): RunId {
  return makeId("run", n, new Uint8Array(10));
}

export const HOLDER: LeaseHolder = { pid: 42, host: "box", bootId: "boot-1", startTicks: "100", since: T0 };
export const OTHER_HOLDER: LeaseHolder = { ...HOLDER, pid: 43, startTicks: "200" };

export function aLease(change: Partial<Pick<SessionLease, "owner" | "expiresAt" | "holder">> = {}) {
  return { owner: "first", expiresAt: T1, holder: HOLDER, ...change };
}

export function aSummary(change: Partial<Append["summary"]> = {}): Append["summary"] {
  return { title: "make it green", state: "running", projection: { iteration: 1 }, ...change };
}

/** An event of a size. */
export function aNote(n: number, pad: string): NewEvent {
  return { type: "note:made", at: T0, data: { n, pad } };
}

export function someEvents(count: number, from = 1): readonly NewEvent[] {
  return Array.from({ length: count }, (_, i) => ({ type: "note:made", at: T0, data: { n: from + i } }));
}

/** A session with `count` events, and the append that its holder would make next. */
export async function aSession(opened: OpenedStore, id = sessionId(1), count = 1): Promise<Append> {
  const { store } = opened;
  const made = must(await store.createSession(id, "/repo", someEvents(count), aSummary(), aLease()));
  return {
    session: id,
    fence: made.lease.fence,
    expectedHead: made.summary.head,
    events: [],
    summary: aSummary(),
  };
}

export function anAttempt(n: number, change: Partial<QueuedAttempt> = {}): QueuedAttempt {
  return {
    attempt: attemptId(n),
    session: sessionId(1),
    key: `/checkout/${n}`,
    capability: "agent",
    priority: 0,
    notBefore: T0,
    dependsOn: [],
    assignment: sha256(`assignment ${n}`),
    ...change,
  };
}

/** The same with an event to append. */
export async function anAppend(opened: OpenedStore, id = sessionId(1)): Promise<Append> {
  return { ...(await aSession(opened, id)), events: someEvents(1, 2) };
}

/** A second connection to a store's file, behind the store's back. */
export function rawDatabase(home: string): Database {
  const db = must(loadDriver())(join(home, "loopwright.db"));
  onTestFinished(() => db.close());
  return db;
}

export async function enqueue(opened: OpenedStore, ...attempts: readonly QueuedAttempt[]): Promise<Append> {
  const next = await aSession(opened);
  must(await opened.store.append({ ...next, enqueue: attempts }));
  return next;
}

export async function claim(
  opened: Pick<OpenedStore, "queue">,
  change: Partial<Parameters<OpenedStore["queue"]["claim"]>[0]> = {},
): Promise<readonly Claim[]> {
  const request = { worker: "w1", capabilities: ["agent"], max: 1, now: T0, leaseUntil: T1, ...change };
  return must(await opened.queue.claim(request));
}

export async function claimOne(opened: Pick<OpenedStore, "queue">): Promise<Claim> {
  const [only] = await claim(opened);
  if (only === undefined) throw new Error("nothing to claim");
  return only;
}

export function aRun(n: number, change: Partial<RunRow> = {}): RunRow {
  return {
    run: runId(n),
    title: `run ${n}`,
    state: "finished",
    origin: "recorded",
    startedAt: T0,
    outcome: "accepted",
    costMicroUsd: 3_100_000,
    unknownCosts: 1,
    attempts: 2,
    ...change,
  };
}

export function codeOf(result: Result<unknown>): string {
  return result.ok ? "ok" : result.problem.code;
}

export const EMPTY_HEAD = EMPTY_CHAIN;
