import { describe, expect, test } from "vitest";
import { sha256 } from "../core/hash.ts";
import { type Catalogue, simulateUser } from "../testing/learner-catalogue.ts";
import { type Belief, fitBelief, fullFitCount, keepFit } from "./belief.ts";
import { isFitOf } from "./keep.ts";
import { unpackBytes } from "./keep-bytes.ts";
import { partEffects } from "./ranges/effect.ts";

const SMALL: Catalogue = { types: 2, repositories: 3, models: 3, shapes: 2, parts: 3, months: 2 };
const runs = simulateUser(7, 44, SMALL).map((run, n) => ({
  ...run,
  endedMs: n,
  scores: [{ name: "speed", value: 1 + (n % 5), scale: "log" as const }],
}));

function digits(belief: Belief): string {
  const { success, gate, cost, tokens } = belief;
  const heads = [success, gate, cost, tokens, ...[...belief.scores.values()].map(({ head }) => head)];
  return sha256(
    JSON.stringify(
      heads.map(({ rows, priorWeight, nodes, points }) => [
        rows,
        priorWeight,
        nodes.ids,
        points.map(({ weight, mean, posterior }) => [weight, [...mean], [...posterior.core.l]]),
      ]),
    ),
  );
}

describe("a kept fit", () => {
  const full = fitBelief(runs.slice(0, 40), undefined);
  const cold = fitBelief(runs, undefined);

  test("changes no digit, whether it is of all runs, of some of them or of others", () => {
    const wanted = digits(cold);
    const other = fitBelief(runs.slice(1, 41), undefined);
    for (const kept of [cold, full, fitBelief(runs.slice(0, 42), undefined), other]) {
      expect(digits(fitBelief(runs, undefined, keepFit(kept)))).toBe(wanted);
    }
  });

  test("gives its part effects, large ones too, like the fit it came from", () => {
    const back = fitBelief(runs, undefined, keepFit(cold));
    expect(partEffects(back.success)).toEqual(partEffects(cold.success));
    expect(back.parts).toEqual(cold.parts);
  });

  test("is known by its runs", () => {
    expect(isFitOf(keepFit(cold), cold)).toBe(true);
    expect(isFitOf(keepFit(full), cold)).toBe(false);
  });

  test("that is cut off or of another version is none", () => {
    const bytes = keepFit(cold);
    const changed = bytes.slice();
    changed[15] = 0x39;
    expect(unpackBytes(bytes)).toBeDefined();
    for (const bad of [bytes.slice(0, -8), bytes.slice(0, 10), changed, new Uint8Array()]) {
      expect(unpackBytes(bad)).toBeUndefined();
    }
    expect(digits(fitBelief(runs, undefined, changed))).toBe(digits(cold));
  });
});

test("the order in which runs come changes no digit", () => {
  expect(digits(fitBelief([...runs].reverse(), undefined))).toBe(digits(fitBelief(runs, undefined)));
});

test("a verdict that came later makes the fit anew", () => {
  const before = fitBelief(runs, undefined);
  const [first, ...others] = runs;
  if (first === undefined) throw new Error("no run");
  const judged = [{ ...first, verdict: { isAccepted: false, reliability: 0.9 } }, ...others];
  expect(digits(fitBelief(judged, undefined, keepFit(before)))).toBe(digits(fitBelief(judged, undefined)));
});

test("runs are fitted at once up to a place that depends on their count alone", () => {
  expect([0, 7, 24, 99, 104, 1999, 100_000].map(fullFitCount)).toEqual([0, 7, 20, 95, 100, 1975, 100_000]);
});
