import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadDriver } from "../../src/adapters/store-sqlite/driver.ts";
import { migrate, schemaVersion } from "../../src/adapters/store-sqlite/migrate.ts";
import { MIGRATIONS } from "../../src/adapters/store-sqlite/schema.ts";
import { must } from "../../src/core/result.ts";
import type { RunKeys, RunRow } from "../../src/ports/store.ts";
import {
  ADAPTERS,
  aRun,
  codeOf,
  runId,
  sessionId,
  sqliteStore,
  T0,
  T1,
  T2,
  temporaryHome,
} from "./store-fixtures.ts";

const keys = (change: Partial<RunKeys>): { readonly keys: RunKeys } => ({
  keys: { commits: [], labels: [], ...change },
});
const SHA = "0123456789abcdef0123456789abcdef01234567";

describe.each(ADAPTERS)("runs, $name", ({ open }) => {
  test("every column comes back as it was put", async () => {
    const { store } = await open();
    const full: RunRow = aRun(1, {
      session: sessionId(1),
      state: "open",
      origin: "imported",
      endedAt: T2,
      configuration: "cfg_0123456789ab",
      source: "exploration",
      task: "tsk_1",
      taskType: "bug_fix",
      repo: "acme/api",
      baseCommit: SHA,
      slate: "slt_1",
      costBasis: "logged",
    });
    must(await store.putRun(full, "{}"));
    expect(must(await store.run(runId(1)))).toEqual({ row: full, document: "{}", revision: 1 });
    expect(must(await store.run(runId(2)))).toBeUndefined();
  });

  test("a run keeps whatever id its producer gave it", async () => {
    const { store } = await open();
    const odd = ["a:b/c", "../x", "rün 1", "run_%2F"];
    for (const run of odd) must(await store.putRun({ ...aRun(1), run }, run));
    for (const run of odd) expect(must(await store.runDocument(run))).toBe(run);
  });

  test("a change that was decided on an older revision is refused and leaves the run as it was", async () => {
    const { store } = await open();
    must(await store.putRun(aRun(1), "first", { expected: 0 }));
    expect(codeOf(await store.putRun(aRun(1), "late", { expected: 0 }))).toBe("run-moved");
    must(await store.putRun(aRun(1, { title: "second" }), "second", { expected: 1 }));
    expect(codeOf(await store.putRun(aRun(1), "late", { expected: 1 }))).toBe("run-moved");
    expect(must(await store.run(runId(1)))).toMatchObject({ document: "second", revision: 2 });
    expect(codeOf(await store.putRun(aRun(2), "new", { expected: 1 }))).toBe("run-moved");
  });

  test("each filter keeps the runs that match it, together they all must", async () => {
    const { store } = await open();
    const rows = [
      aRun(1, { state: "open", slate: "s", task: "t" }),
      aRun(2, { origin: "imported", configuration: "c", source: "habit", startedAt: T2 }),
      aRun(3, { taskType: "docs", repo: "r", baseCommit: SHA, startedAt: T1 }),
    ];
    for (const row of rows) must(await store.putRun(row, "{}", keys({ labels: [`n=${row.title}`] })));
    const list = async (filter: Parameters<typeof store.runs>[0]) =>
      must(await store.runs(filter)).map((row) => row.title);
    expect(await list({})).toEqual(["run 2", "run 3", "run 1"]);
    expect(await list({ state: "open" })).toEqual(["run 1"]);
    expect(await list({ slate: "s", task: "t" })).toEqual(["run 1"]);
    expect(await list({ slate: "s", task: "other" })).toEqual([]);
    expect(await list({ origin: "imported", configuration: "c", source: "habit" })).toEqual(["run 2"]);
    expect(await list({ taskType: "docs", repo: "r", baseCommit: SHA })).toEqual(["run 3"]);
    expect(await list({ label: "n=run 3" })).toEqual(["run 3"]);
    expect(await list({ since: T1, until: T2 })).toEqual(["run 3"]);
  });

  test("the largest come first in every order, and pages follow each other without a gap", async () => {
    const { store } = await open();
    const costs = [5, 0, 9, 5];
    for (const [n, costMicroUsd] of costs.entries())
      must(
        await store.putRun(aRun(n, { costMicroUsd, attempts: n, ...(n === 1 ? { endedAt: T2 } : {}) }), "{}"),
      );
    const list = async (filter: Parameters<typeof store.runs>[0]) =>
      must(await store.runs(filter)).map((row) => row.title);
    expect(await list({ order: "cost" })).toEqual(["run 2", "run 3", "run 0", "run 1"]);
    expect(await list({ order: "attempts", limit: 2 })).toEqual(["run 3", "run 2"]);
    expect((await list({ order: "ended" }))[0]).toBe("run 1");
    const first = must(await store.runs({ limit: 2 }));
    const last = first.at(-1);
    const rest = must(await store.runs(last === undefined ? {} : { after: last }));
    expect([...first, ...rest].map((row) => row.title)).toEqual(["run 3", "run 2", "run 1", "run 0"]);
  });

  test("a commit finds its runs by its full and by its abbreviated hash", async () => {
    const { store } = await open();
    must(await store.putRun(aRun(1), "{}", keys({ commits: [SHA] })));
    must(await store.putRun(aRun(2), "{}", keys({ commits: [SHA.slice(0, 9)] })));
    must(await store.putRun(aRun(3), "{}", keys({ commits: [`${SHA.slice(0, 8)}f`] })));
    const found = async (commit: string) => must(await store.runsOfCommit(commit)).map((row) => row.title);
    expect(await found(SHA)).toEqual(["run 2", "run 1"]);
    expect(await found(SHA.toUpperCase())).toEqual(["run 2", "run 1"]);
    expect(await found(SHA.slice(0, 8))).toEqual(["run 3", "run 2", "run 1"]);
    expect(await found(SHA.slice(0, 6))).toEqual([]);
    expect(await found("f".repeat(40))).toEqual([]);
    must(await store.putRun(aRun(1), "{}", keys({ commits: [] })));
    expect(await found(SHA)).toEqual(["run 2"]);
  });

  test("a sum counts what is unknown apart from what is known", async () => {
    const { store } = await open();
    must(await store.putRun(aRun(1, { costMicroUsd: 3_000_000, unknownCosts: 0 }), "{}"));
    must(await store.putRun(aRun(2, { costMicroUsd: 100_000, unknownCosts: 2 }), "{}"));
    must(await store.putRun(aRun(3, { costMicroUsd: 7, unknownCosts: 1, origin: "imported" }), "{}"));
    expect(must(await store.runTotals({ origin: "recorded" }))).toEqual({
      runs: 2,
      costMicroUsd: 3_100_000,
      unknownCosts: 2,
      runsNotCosted: 1,
    });
    expect(must(await store.runTotals({ repo: "none" }))).toEqual({
      runs: 0,
      costMicroUsd: 0,
      unknownCosts: 0,
      runsNotCosted: 0,
    });
  });
});

test("the embedded store lists and sums as the one in memory does, whatever is asked for", async () => {
  const [memory, embedded] = await Promise.all(ADAPTERS.map(({ open }) => open()));
  if (memory === undefined || embedded === undefined) throw new Error("two adapters");
  const word = fc.constantFrom("a", "b");
  const row = fc.record({
    n: fc.integer({ min: 0, max: 12 }),
    startedAt: fc.constantFrom(T0, T1, T2),
    costMicroUsd: fc.integer({ min: 0, max: 3 }),
    unknownCosts: fc.integer({ min: 0, max: 1 }),
    repo: word,
    slate: word,
    outcome: word,
  });
  const filter = fc.record(
    {
      repo: word,
      slate: word,
      outcome: word,
      since: fc.constantFrom(T0, T1, T2),
      label: fc.constantFrom("k=a", "k=b"),
    },
    { requiredKeys: [] },
  );
  const list = fc.record(
    { order: fc.constantFrom("started" as const, "cost" as const), limit: fc.integer({ min: 0, max: 5 }) },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 6 }), filter, list, async (rows, wanted, how) => {
      for (const { n, ...columns } of rows) {
        for (const { store } of [memory, embedded])
          must(await store.putRun(aRun(n, columns), "{}", keys({ labels: [`k=${columns.repo}`] })));
      }
      expect(must(await embedded.store.runs({ ...wanted, ...how }))).toEqual(
        must(await memory.store.runs({ ...wanted, ...how })),
      );
      expect(must(await embedded.store.runTotals(wanted))).toEqual(
        must(await memory.store.runTotals(wanted)),
      );
    }),
    { numRuns: 60 },
  );
});

test("a store of the first schema keeps its runs, and finds them by commit and label afterwards", async () => {
  const home = temporaryHome();
  const made = await sqliteStore(home);
  await made.store.close();
  const file = join(home, "loopwright.db");
  const open = must(loadDriver());
  const { rmSync } = await import("node:fs");
  rmSync(file);
  const old = open(file);
  const room = { file, open, onWritePoint: () => undefined };
  must(migrate(old, room, MIGRATIONS.slice(0, 1)));
  const document = JSON.stringify({
    run: { labels: { arm: "cand" } },
    artifacts: [{ id: `commit:${SHA}`, path: SHA, kind: { value: "commit" } }],
  });
  for (const [run, text] of [
    [runId(1), document],
    [runId(2), "{ damaged"],
  ] as const) {
    old.run(
      `INSERT INTO runs (run, title, started_at, outcome, cost_micro_usd, unknown_costs, attempts, document)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      run,
      "old",
      T0,
      "accepted",
      3_100_000,
      1,
      2,
      text,
    );
  }
  old.close();
  const refused = await import("../../src/adapters/store-sqlite/index.ts").then(({ openStore }) =>
    openStore(
      home,
      { now: Date.now, monotonic: () => performance.now(), sleep: async () => undefined },
      { readOnly: true },
    ),
  );
  expect(codeOf(refused)).toBe("store-older");
  const { store } = await sqliteStore(home);
  expect(must(await store.run(runId(1)))).toEqual({ row: aRun(1, { title: "old" }), document, revision: 1 });
  expect(must(await store.runsOfCommit(SHA))).toHaveLength(1);
  expect(must(await store.runs({ label: "arm=cand" }))).toHaveLength(1);
  expect(must(await store.runs({}))).toHaveLength(2);
  const backup = open(`${file}.v1.bak`);
  onTestFinished(() => backup.close());
  expect(schemaVersion(backup)).toBe(1);
  expect(backup.all("SELECT document FROM runs")).toHaveLength(2);
});
