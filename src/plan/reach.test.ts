import { describe, expect, test } from "vitest";
import { normalCdf } from "../learn/kernels/normal.ts";
import { reachProb } from "./reach.ts";

const unit = { center: 0, spread: 1, scale: "linear" } as const;
const noise = { sigma: Float64Array.of(0.6), omega: Float64Array.of(0.8) };

describe("the chance that a score reaches its target", () => {
  test("is that of a run's noise around what is expected, upwards and downwards", () => {
    const higher = reachProb(Float64Array.of(1), noise, unit, { name: "q", target: 0.5, better: "higher" });
    const lower = reachProb(Float64Array.of(1), noise, unit, { name: "q", target: 0.5, better: "lower" });
    expect(higher[0]).toBeCloseTo(normalCdf(0.5), 12);
    expect((higher[0] ?? 0) + (lower[0] ?? 0)).toBeCloseTo(1, 12);
  });

  test("is read on the line that the score was learned on", () => {
    const score = { center: Math.log(100), spread: 2, scale: "log" } as const;
    const at = reachProb(Float64Array.of(0), noise, score, { name: "s", target: 100, better: "lower" });
    expect(at[0]).toBeCloseTo(0.5, 12);
  });

  test("is certain upwards and none downwards for a target below every score of a log scale", () => {
    const score = { ...unit, scale: "log" } as const;
    const at = (better: "higher" | "lower") =>
      reachProb(Float64Array.of(0), noise, score, { name: "s", target: 0, better })[0];
    expect([at("higher"), at("lower")]).toEqual([1, 0]);
  });
});
