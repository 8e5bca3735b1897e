import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { STUDY_PRIOR, simulateRuns } from "../../testing/learner-lab.ts";
import { keyedStream } from "../kernels/keyed-random.ts";
import { beliefOf } from "../ranges/effect.ts";
import type { NumberRow } from "../rows/head-rows.ts";
import { BinaryModel } from "./binary-model.ts";
import { binaryData, priorArrays } from "./design.ts";
import { fitBinaryHead, fitNumberHead } from "./fit-head.ts";
import type { HeadBelief } from "./head-belief.ts";
import { numberData } from "./number-data.ts";
import { NumberModel } from "./number-model.ts";
import { numberStats } from "./number-stats.ts";
import { plainPrior } from "./prior-table.ts";
import { updateBinaryHead, updateNumberHead } from "./update-head.ts";

function numberRun(seed: number, run: number): readonly NumberRow[] {
  const stream = keyedStream(seed, `run ${run}`);
  return Array.from({ length: 1 + (run % 3) }, (_, k) => ({
    terms: [
      ["fixed:intercept", 1],
      [`repo:bug_fix/r${run % 7}`, 1],
      [`model:${(run + k) % (run > 30 ? 6 : 5)}`, 1],
      ["control:width", k / 2],
    ],
    y: stream.normal(k),
    weight: k === 0 ? 1 : 0.7,
    group: `run ${String(run).padStart(3, "0")}`,
  }));
}

describe("one run more", () => {
  test("changes numbers exactly as a fit of all runs at the same scales does", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 5 }), (seed, added) => {
        const runs = Array.from({ length: 30 + added }, (_, run) => numberRun(seed, run));
        const before = fitNumberHead(numberData(runs.slice(0, 30).flat()), { plain: plainPrior("cost") });
        const after = updateNumberHead(before, runs.slice(30));
        const data = numberData(runs.flat());
        const prior = plainPrior("cost");
        const arrays = priorArrays(data.nodes, prior);
        const model = new NumberModel(numberStats(data), arrays, prior.sigma, prior.omega);
        for (const point of after.points.slice(0, 4)) {
          const theta = Float64Array.of(
            ...arrays.groups.map((group) => point.lnScale.get(group) ?? prior.scale(group).ln),
            Math.log(point.sigma),
            Math.log(point.omega),
          );
          const exact = model.evaluate(theta, undefined, "value");
          if (exact === undefined) throw new Error("no fit");
          for (const [j, id] of data.nodes.ids.entries()) {
            const own = after.nodes.index.get(id) ?? -1;
            expect(point.mean[own]).toBeCloseTo(exact.mode[j] ?? 0, 7);
            expect(point.posterior.variances()[own]).toBeCloseTo(exact.posterior.variances()[j] ?? 0, 7);
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  test("changes answers as a fit at the same scales does to a twentieth of a standard deviation", () => {
    let worst = 0;
    for (const seed of [1, 2, 3]) {
      const { rows } = simulateRuns(seed, { runs: 201, parts: 8, effects: "half" });
      const before = fitBinaryHead(binaryData(rows.slice(0, 200)), { plain: STUDY_PRIOR });
      const after = updateBinaryHead(before, rows.slice(200));
      const data = binaryData(rows);
      const arrays = priorArrays(data.nodes, STUDY_PRIOR);
      const model = new BinaryModel(data, arrays);
      for (const point of after.points) {
        const theta = Float64Array.from(arrays.groups, (group) => point.lnScale.get(group) ?? 0);
        const exact = model.evaluate(theta, undefined, "value");
        if (exact === undefined) throw new Error("no fit");
        const spread = exact.posterior.variances();
        for (const [j, id] of data.nodes.ids.entries()) {
          const wanted = (exact.mode[j] ?? 0) - 0.25 * (exact.skew?.[j] ?? 0);
          const found = point.mean[after.nodes.index.get(id) ?? -1] ?? Number.NaN;
          worst = Math.max(worst, Math.abs(found - wanted) / Math.sqrt(spread[j] ?? 1));
        }
      }
    }
    expect(worst).toBeLessThan(0.05);
  });

  test("changes answers as a full fit does to a fifth of a standard deviation", () => {
    let worst = 0;
    for (const seed of [1, 2, 3]) {
      const { rows } = simulateRuns(seed, { runs: 201, parts: 8, effects: "half" });
      const before = fitBinaryHead(binaryData(rows.slice(0, 200)), { plain: STUDY_PRIOR });
      const quick = updateBinaryHead(before, rows.slice(200));
      const full = fitBinaryHead(binaryData(rows), { plain: STUDY_PRIOR });
      for (const id of full.nodes.ids) {
        const [a, b] = [beliefOf(quick, [[id, 1]]), beliefOf(full, [[id, 1]])];
        worst = Math.max(worst, (Math.abs(a.mean - b.mean) * 2.563) / (b.range.hi - b.range.lo));
      }
    }
    expect(worst).toBeLessThan(0.2);
  });

  test("in another order of runs comes to the same numbers", () => {
    const runs = Array.from({ length: 36 }, (_, run) => numberRun(9, run));
    const before = fitNumberHead(numberData(runs.slice(0, 30).flat()), { plain: plainPrior("cost") });
    const one = updateNumberHead(before, runs.slice(30));
    const two = runs
      .slice(30)
      .reverse()
      .reduce((head, run) => updateNumberHead(head, [run]), before);
    const means = (head: HeadBelief) => one.nodes.ids.map((id) => beliefOf(head, [[id, 1]]).mean);
    for (const [k, mean] of means(one).entries()) expect(mean).toBeCloseTo(means(two)[k] ?? 0, 9);
  });

  test("leaves the belief before it as it was", () => {
    const runs = Array.from({ length: 31 }, (_, run) => numberRun(4, run));
    const before = fitNumberHead(numberData(runs.slice(0, 30).flat()), { plain: plainPrior("cost") });
    const first = beliefOf(before, [["model:1", 1]]);
    updateNumberHead(before, runs.slice(30));
    expect(beliefOf(before, [["model:1", 1]])).toEqual(first);
  });
});
