import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type OpenedStore, openStore } from "../../src/adapters/store-sqlite/index.ts";
import { type AttemptId, makeId, type SessionId } from "../../src/core/ids.ts";
import { InvariantError, must } from "../../src/core/result.ts";
import type { Append, NewEvent } from "../../src/ports/store.ts";

/**
 * The other process of a test. Arguments: what to do, the home, and numbers or a write point. It reports each step
 * that the store has acknowledged as a line, written at once so that a kill loses none.
 */
const [role = "", home = "", argument = "", count = "0"] = process.argv.slice(2);
const T0 = "2026-11-30T10:00:00.000Z";
const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: (ms: number) => pause(ms) };
const ids = {
  session: (n: number): SessionId => makeId("session", n, new Uint8Array(10)),
  attempt: (n: number): AttemptId => makeId("attempt", n, new Uint8Array(10)),
};

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function note(n: number): NewEvent {
  return { type: "note:made", at: T0, data: { n, by: process.pid, pad: "x".repeat(200) } };
}

/** Appends pairs of events until `total` of its own are in; another writer of the session makes it look again. */
async function appendTo({ store }: OpenedStore, session: SessionId, total: number): Promise<void> {
  const fence = must(await store.lease(session))?.fence ?? 0;
  for (let n = 0; n < total; ) {
    const expectedHead = must(await store.head(session));
    const summary = { title: "loop", state: "running", projection: { seq: expectedHead.seq + 2 } };
    const events = [note(n), note(n + 1)];
    const appended = await store.append({ session, fence, expectedHead, events, summary });
    if (!appended.ok && appended.problem.code === "head-moved") continue;
    say(`acknowledged ${must(appended).head.seq}`);
    n += 2;
  }
}

/**
 * Claims, works and completes until nothing is ready. All attempts of a key have the same assignment, so that a file
 * of its name shows two claims on the key at once.
 */
async function work({ queue }: OpenedStore): Promise<void> {
  const request = { worker: String(process.pid), capabilities: ["agent"], max: 2, now: T0, leaseUntil: T0 };
  for (let idle = 0; idle < 20; ) {
    const claims = must(await queue.claim(request));
    if (claims.length === 0) {
      idle += 1;
      await pause(5);
    }
    for (const claim of claims) {
      idle = 0;
      const marker = join(home, claim.assignment);
      closeSync(openSync(marker, "wx"));
      await pause(0);
      unlinkSync(marker);
      if (must(await queue.complete(claim, { by: process.pid }))) say(`done ${claim.attempt}`);
    }
  }
}

/** One of every durable step, in an order that can be run again on the same home after a kill. */
async function tour({ store, queue }: OpenedStore, start: number): Promise<void> {
  const session = ids.session(start);
  const holder = { pid: process.pid, host: "box", bootId: "b", startTicks: "1", since: T0 };
  const summary = { title: "tour", state: "running", projection: {} };
  const lease = { owner: "tour", expiresAt: T0, holder };
  const made = must(await store.createSession(session, "/repo", [note(0)], summary, lease));
  say(`created ${session}`);
  const blob = must(await store.putBlob(`bytes-${start}`));
  say(`blob bytes-${start}`);
  must(await store.lockCheckout(`/repo/${start}`, session, holder));
  must(await store.renewLease(session, 1, T0));
  must(await store.submitCommand({ id: `cmd_${start}`, session, kind: "stop", payload: {}, at: T0 }));
  say(`command cmd_${start}`);
  const attempts = [1, 2, 3].map((n) => ids.attempt(start * 10 + n));
  const enqueue = attempts.map((attempt) => ({
    attempt,
    session,
    key: attempt,
    capability: "agent",
    priority: 0,
    notBefore: T0,
    dependsOn: [],
    assignment: blob,
  }));
  const next: Append = {
    session,
    fence: 1,
    expectedHead: made.summary.head,
    events: [note(1)],
    summary,
    enqueue,
  };
  const appended = must(await store.append(next));
  say(`acknowledged ${appended.head.seq}`);
  const claims = must(
    await queue.claim({ worker: "w", capabilities: ["agent"], max: 2, now: T0, leaseUntil: T0, session }),
  );
  const [first, second] = claims;
  if (first === undefined || second === undefined) throw new InvariantError("nothing to claim");
  must(await queue.heartbeat(first, T0));
  must(await queue.complete(first, { n: 1 }));
  say(`settled ${first.attempt}`);
  must(await queue.cancel(attempts[2] ?? first.attempt));
  must(await queue.revoke(second.attempt, second.fence));
  const run = makeId("run", start, new Uint8Array(10));
  const row = {
    run,
    title: "t",
    state: "finished" as const,
    origin: "recorded" as const,
    startedAt: T0,
    outcome: "unknown",
    costMicroUsd: 0,
    unknownCosts: 1,
    attempts: 1,
  };
  must(await store.putRun(row, "{}"));
  const recommended = { recommendation: `rec_${start}`, at: T0, taskType: "bug_fix", pick: "cfg_1" };
  must(await store.putRecommendation(recommended, "{}", ["cfg_1"]));
  const kept = {
    topLevel: "/top",
    loop: "l",
    kind: "memory" as const,
    key: "k",
    part: "",
    at: T0,
    document: {},
  };
  must(await store.changeLoopRecords({ put: [kept] }));
  say("toured");
}

/** Takes the write lock and keeps it until it is killed. */
function hold(): void {
  const load = createRequire(import.meta.url);
  const { DatabaseSync } = load(
    process.versions["sqlite"] === undefined ? "@photostructure/sqlite" : "node:sqlite",
  );
  const db = new DatabaseSync(join(home, "loopwright.db"));
  db.exec("BEGIN IMMEDIATE");
  say("holding");
  setInterval(() => db.prepare("SELECT 1").get(), 1000);
}

async function main(): Promise<void> {
  if (role === "hold") return hold();
  const dieAt = (name: string): void => {
    if (role === "tour" && name === argument) process.kill(process.pid, "SIGKILL");
  };
  const opened = must(await openStore(home, clock, { onWritePoint: dieAt }));
  if (role === "append") await appendTo(opened, ids.session(Number(argument)), Number(count));
  else if (role === "work") await work(opened);
  else if (role === "tour") await tour(opened, Number(count));
  else throw new InvariantError(`no role ${role}`);
  await opened.store.close();
}

await main();
