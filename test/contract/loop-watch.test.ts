import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStore } from "../../src/adapters/store-sqlite/index.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { makeId } from "../../src/core/ids.ts";
import { must } from "../../src/core/result.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";
import { loopText } from "./watched-loop.ts";

const MINUTE = 60_000;

function aLab(triggers: string): CliLab {
  const lab = openCliLab();
  const git = (...words: readonly string[]) =>
    execFileSync("git", [...words], { cwd: lab.dir, stdio: "ignore" });
  git("init", "-q");
  lab.write(".gitignore", "home/\n");
  lab.write("loop.yaml", loopText(triggers));
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "start");
  return lab;
}

/** One that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

const look = (lab: CliLab) => lab.run("loop", "watch", "--once");

test("a schedule that comes due runs the loop once, and a later look finds nothing left", async () => {
  const lab = aLab("{on: {type: cron, expr: '5 12 * * *'}}");
  expect((await look(lab)).json).toMatchObject({ ok: true, runs: [] });
  lab.nowMs += 5 * MINUTE + 1000;
  const due = await look(lab);
  expect(due.json["runs"]).toMatchObject([
    {
      exit: 0,
      problem: null,
      depth: 0,
      session: expect.stringMatching(/^ses_/),
      keys: [expect.stringMatching(/^cron:5 12/)],
    },
  ]);
  expect((await look(lab)).json).toMatchObject({ runs: [], turned_down: [] });
});

test("a file that changes runs it, and what the runs write themselves starts no endless chain", async () => {
  const lab = aLab("{on: {type: file_change, path: src}}");
  mkdirSync(lab.path("src"));
  const touch = () => utimesSync(lab.path("src"), lab.nowMs / 1000, lab.nowMs / 1000);
  touch();
  await look(lab);
  lab.nowMs += MINUTE;
  touch();
  expect((await look(lab)).json["runs"]).toMatchObject([{ depth: 0 }]);
  lab.nowMs += 4000;
  touch();
  expect((await look(lab)).json["runs"]).toMatchObject([{ depth: 1 }]);
  lab.nowMs += 4000;
  touch();
  expect((await look(lab)).json).toMatchObject({ runs: [], turned_down: [{ why: "too-deep" }] });
});

test("a look that checks starts nothing and says what comes next", async () => {
  const lab = aLab("{on: {type: cron, expr: '0 9 * * *', timezone: Europe/Berlin}}, {on: {type: manual}}");
  const { exit, json } = await lab.run("loop", "watch", "--check");
  expect([exit, json["triggers"]]).toEqual([
    0,
    [
      {
        waits_for: "cron 0 9 * * * (Europe/Berlin)",
        enabled: true,
        missed: "once",
        next: "2026-11-11T08:00:00.000Z",
      },
      { waits_for: "a person", enabled: true, missed: "once", next: null },
    ],
  ]);
});

test("a call of a webhook starts the loop while it is watched, with the port and token that the user chose", async () => {
  const lab = aLab("{on: {type: webhook, name: deploy}}");
  lab.env = { LOOPWRIGHT_HOOK_TOKEN: "t0ken" };
  const port = await freePort();
  const watching = lab.run("loop", "watch", "--port", String(port), "--max-runs", "1");
  let isWatching = true;
  const over = watching.finally(() => {
    isWatching = false;
  });
  const call = () =>
    fetch(`http://127.0.0.1:${port}/hooks/deploy`, {
      method: "POST",
      headers: { authorization: "Bearer t0ken", "idempotency-key": "k1" },
      signal: AbortSignal.timeout(5000),
    }).catch(() => undefined);
  while (isWatching && (await call())?.status !== 202) await sleep(50);
  // The look that finds the call may come before or after any of these steps.
  while (isWatching) {
    lab.nowMs += 1000;
    await Promise.race([over, sleep(50)]);
  }
  const { json, stderr } = await over;
  expect(json["runs"], stderr).toMatchObject([{ exit: 0, keys: ["webhook:deploy:k1"] }]);
  expect(stderr).not.toContain("t0ken");
});

test("a second watcher of the same loop is refused while the first one lives, and not after it has died", async () => {
  const lab = aLab("{on: {type: cron, expr: '5 12 * * *'}}");
  await look(lab);
  const { store } = must(await openStore(lab.home, systemClock));
  const [memory = ""] = readdirSync(lab.path("home/watch"));
  const key = `watch ${lab.path(`home/watch/${memory}`)}`;
  const session = makeId("session", 0, new Uint8Array(10));
  const holder = {
    pid: process.pid,
    host: hostname(),
    bootId: "",
    startTicks: "",
    since: "2026-01-01T00:00:00.000Z",
  };
  must(await store.lockCheckout(key, session, holder));
  expect(await look(lab)).toMatchObject({ exit: 4, json: { problem: { code: "checkout-busy" } } });
  must(await store.unlockCheckout(key, session));
  must(await store.lockCheckout(key, session, { ...holder, bootId: "before", startTicks: "1" }));
  expect((await look(lab)).exit).toBe(0);
  await store.close();
});

test.each([
  ["nothing but a person", "{on: {type: manual}}", "bad-input"],
  ["nothing at all", "", "bad-input"],
])("a loop that waits for %s is not watched", async (_what, triggers, code) => {
  expect((await aLab(triggers).run("loop", "watch", "--once")).json).toMatchObject({ problem: { code } });
});
