import { describe, expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import type { RecommendationRow } from "../../src/ports/store.ts";
import { ADAPTERS, sqliteStore, T0, T1, T2, temporaryHome } from "./store-fixtures.ts";

const row = (
  recommendation: string,
  at: string,
  more: Partial<RecommendationRow> = {},
): RecommendationRow => ({
  recommendation,
  at,
  taskType: "bug_fix",
  pick: "cfg_000000000001",
  ...more,
});

describe.each(ADAPTERS)("recommendations, $name", ({ open }) => {
  test("come back as they were kept, newest first, and an id that is kept already stays as it was", async () => {
    const { store } = await open();
    must(await store.putRecommendation(row("rec_1", T0, { repo: "acme/api" }), "first", []));
    must(await store.putRecommendation(row("rec_2", T1), "second", []));
    must(await store.putRecommendation(row("rec_1", T2), "late", []));
    expect(must(await store.recommendations())).toEqual([
      row("rec_2", T1),
      row("rec_1", T0, { repo: "acme/api" }),
    ]);
    expect(must(await store.recommendations(1))).toHaveLength(1);
    expect(must(await store.recommendation("rec_1"))).toBe("first");
    expect(must(await store.recommendation("rec_3"))).toBeUndefined();
  });

  test("are found by a configuration that they name, the newest one first", async () => {
    const { store } = await open();
    const [a, b] = ["cfg_aaaaaaaaaaaa", "cfg_bbbbbbbbbbbb"];
    must(await store.putRecommendation(row("rec_2", T1), "newer", [a, a]));
    must(await store.putRecommendation(row("rec_1", T0), "older", [a, b]));
    expect(must(await store.recommendationOf(a))).toBe("newer");
    expect(must(await store.recommendationOf(b))).toBe("older");
    expect(must(await store.recommendationOf("cfg_cccccccccccc"))).toBeUndefined();
  });
});

test("recommendations outlive the process that made them", async () => {
  const home = temporaryHome();
  const first = await sqliteStore(home);
  must(await first.store.putRecommendation(row("rec_1", T0), "kept", []));
  await first.store.close();
  const again = await sqliteStore(home, { readOnly: true });
  expect(must(await again.store.recommendation("rec_1"))).toBe("kept");
});
