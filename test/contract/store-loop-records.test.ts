import { describe, expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import type { LoopRecord } from "../../src/ports/store.ts";
import { ADAPTERS, sqliteStore, T0, T1, T2, temporaryHome } from "./store-fixtures.ts";

const record = (key: string, at: string, more: Partial<LoopRecord> = {}): LoopRecord => ({
  topLevel: "/top",
  loop: "tidy",
  kind: "memory",
  key,
  part: "ses_1",
  at,
  document: { content: key },
  ...more,
});

describe.each(ADAPTERS)("what is kept of a loop, $name", ({ open }) => {
  test("comes back newest first, apart from other loops, folders and kinds", async () => {
    const { store } = await open();
    const [old, young] = [record("a", T0), record("b", T1)];
    const trial = record("a", T2, { kind: "trial" });
    const others = [record("c", T2, { loop: "other" }), record("d", T2, { topLevel: "/else" })];
    must(await store.changeLoopRecords({ put: [old, young, trial, ...others] }));
    expect(must(await store.loopRecords({ topLevel: "/top", loop: "tidy", kind: "memory" }))).toEqual([
      young,
      old,
    ]);
    expect(must(await store.loopRecords({ topLevel: "/top", loop: "tidy" }))).toEqual([trial, young, old]);
  });

  test("is replaced by the same key and part, and told apart by another part", async () => {
    const { store } = await open();
    const of = { topLevel: "/top", loop: "tidy" };
    must(await store.changeLoopRecords({ put: [record("a", T0), record("a", T0, { part: "ses_2" })] }));
    must(await store.changeLoopRecords({ put: [record("a", T1, { document: { content: "new" } })] }));
    expect(must(await store.loopRecords(of)).map(({ part, document }) => [part, document])).toEqual([
      ["ses_1", { content: "new" }],
      ["ses_2", { content: "a" }],
    ]);
    must(await store.changeLoopRecords({ put: [record("b", T2)], drop: [record("a", T0)] }));
    expect(must(await store.loopRecords(of)).map(({ key, part }) => [key, part])).toEqual([
      ["b", "ses_1"],
      ["a", "ses_2"],
    ]);
  });
});

test("what is kept of a loop outlives the process that kept it", async () => {
  const home = temporaryHome();
  const first = await sqliteStore(home);
  must(await first.store.changeLoopRecords({ put: [record("a", T0)] }));
  await first.store.close();
  const again = await sqliteStore(home, { readOnly: true });
  expect(must(await again.store.loopRecords({ topLevel: "/top", loop: "tidy" }))).toEqual([record("a", T0)]);
});
