import { describe, expect, test } from "vitest";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
import { logistic, normalCdf } from "../learn/kernels/normal.ts";
import { type Foreseen, recalibrated, recalibrationOf } from "./recalibrate.ts";

/** Forecasts of these logits, of runs whose true logit is `a + b` times as far. */
function forecasts(count: number, a: number, b: number, key = "x"): readonly Foreseen[] {
  const [logits, luck] = [keyedStream(7, `${key}/logits`), keyedStream(7, `${key}/luck`)];
  return Array.from({ length: count }, (_, i) => {
    const x = 1.5 * logits.normal(i);
    return { prob: logistic(x), isAccepted: normalCdf(luck.normal(i)) < logistic(a + b * x) };
  });
}

describe("chances are corrected by how forecasts held", () => {
  test("where they promised too much, and by about what they did", () => {
    const found = recalibrationOf(forecasts(500, -1.2, 0.6));
    expect(found?.runs).toBe(500);
    expect(found?.alpha).toBeLessThan(-0.8);
    expect(found?.beta).toBeGreaterThan(0.5);
    expect(found?.beta).toBeLessThan(0.85);
    expect(recalibrated(0.9, found ?? { alpha: 0, beta: 1 })).toBeLessThan(0.8);
  });

  test("never by fewer than a hundred, nor by more than the latest five hundred", () => {
    const bad = forecasts(700, -1.2, 0.5);
    expect(recalibrationOf(bad.slice(0, 99))).toBeUndefined();
    expect(recalibrationOf(bad)).toEqual(recalibrationOf(bad.slice(-500)));
    expect(recalibrationOf(bad)?.runs).toBe(500);
  });

  test("not where they held: a correction that would not have paid is none", () => {
    const held = ["a", "b", "c", "d", "e", "f"].map((key) => recalibrationOf(forecasts(300, 0, 1, key)));
    expect(held.filter((found) => found !== undefined)).toEqual([]);
  });

  test("finitely, also where all were accepted or all foretold as certain", () => {
    const sure = Array.from({ length: 200 }, () => ({ prob: 1, isAccepted: false }));
    const found = recalibrationOf(sure);
    expect(Number.isFinite(found?.alpha) && Number.isFinite(found?.beta)).toBe(true);
    const all = Array.from({ length: 200 }, () => ({ prob: 0.5, isAccepted: true }));
    expect(recalibrated(0.5, recalibrationOf(all) ?? { alpha: 0, beta: 1 })).toBeGreaterThan(0.5);
  });
});
