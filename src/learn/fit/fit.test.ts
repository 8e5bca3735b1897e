import { describe, expect, test } from "vitest";
import { keyedStream } from "../kernels/keyed-random.ts";
import { at } from "../kernels/vector.ts";
import { effectView } from "../ranges/effect.ts";
import type { BinaryRow, NumberRow } from "../rows/head-rows.ts";
import type { Term } from "../rows/terms.ts";
import { BinaryModel } from "./binary-model.ts";
import { binaryData, priorArrays } from "./design.ts";
import { fitBinaryHead, fitNumberHead } from "./fit-head.ts";
import type { HeadBelief } from "./head-belief.ts";
import { answers } from "./likelihood.ts";
import type { ScaleModel } from "./model.ts";
import { numberData } from "./number-data.ts";
import { NumberModel } from "./number-model.ts";
import { numberStats } from "./number-stats.ts";
import { plainPrior, type ShippedHead, shippedPrior } from "./prior-table.ts";
import { cappedWeights, sequencePoint, uniformPoint } from "./scale-points.ts";

const stream = keyedStream(3, "fit tests");

function binaryRows(count: number, reliability = 1): readonly BinaryRow[] {
  return Array.from({ length: count }, (_, i) => {
    const terms: Term[] = [
      ["fixed:intercept", 1],
      [`type:${i % 3}`, 1],
      [`model:${i % 5}`, 0.5],
      [`model:${(i * 7) % 5}`, 0.5],
      ["control:width", (i % 4) / 2],
    ];
    return { terms, isYes: stream.uniform(i) < 0.3 + 0.1 * (i % 5), reliability, weight: 1 };
  });
}

function numberRows(runs: number): readonly NumberRow[] {
  return Array.from({ length: runs }, (_, run) =>
    Array.from({ length: 1 + (run % 3) }, (_unused, k): NumberRow => {
      const i = 10 * run + k;
      return {
        terms: [
          ["fixed:intercept", 1],
          [`type:${run % 3}`, 1],
          [`model:${i % 4}`, 1],
        ],
        y: 0.3 * (i % 4) + 0.4 * stream.normal(run) + 0.3 * stream.normal(1000 + i),
        weight: k === 0 ? 1 : 0.7,
        group: `run ${run}`,
      };
    }),
  ).flat();
}

function expectGradient(model: ScaleModel, theta: Float64Array): void {
  const exact = model.evaluate(theta, undefined, "slope");
  theta.forEach((_, g) => {
    const h = 1e-4;
    const moved = (by: number) =>
      model.evaluate(
        theta.map((value, k) => (k === g ? value + by : value)),
        undefined,
        "value",
      )?.objective ?? 0;
    const numeric = (moved(h) - moved(-h)) / (2 * h);
    expect(Math.abs(numeric - at(exact?.gradient ?? [], g))).toBeLessThan(2e-4 * (1 + Math.abs(numeric)));
  });
}

describe("the slope of the evidence is the derivative of the evidence", () => {
  test.each([1, 0.8])("for yes and no answers with reliability %d", (reliability) => {
    const data = binaryData(binaryRows(60, reliability));
    const model = new BinaryModel(data, priorArrays(data.nodes, plainPrior("success")));
    expectGradient(
      model,
      model.ln.map((value) => value + 0.2),
    );
  });

  test("for numbers whose runs share noise", () => {
    const data = numberData(numberRows(20));
    const prior = plainPrior("cost");
    const model = new NumberModel(
      numberStats(data),
      priorArrays(data.nodes, prior),
      prior.sigma,
      prior.omega,
    );
    expectGradient(
      model,
      model.ln.map((value) => value - 0.1),
    );
  });
});

test.each([
  [0.4, 1, 1, 1],
  [-1.5, 2, 5, 0.8],
  [2, 0, 1, 0.95],
])("derivatives of the likelihood at η = %d, %d of %d right with %d", (eta, yes, trials, q) => {
  const h = 1e-4;
  const here = answers(eta, yes, trials, q);
  const up = answers(eta + h, yes, trials, q);
  const down = answers(eta - h, yes, trials, q);
  expect((up.value - down.value) / (2 * h)).toBeCloseTo(here.first, 6);
  expect((up.first - down.first) / (2 * h)).toBeCloseTo(here.second, 6);
  expect((up.second - down.second) / (2 * h)).toBeCloseTo(here.third, 6);
  expect(here.weight).toBeGreaterThan(0);
});

test("a number head agrees with the joint normal distribution of its rows", () => {
  const rows = numberRows(6);
  const data = numberData(rows);
  const { nodes } = data;
  const prior = plainPrior("cost");
  const arrays = priorArrays(nodes, prior);
  const model = new NumberModel(numberStats(data), arrays, prior.sigma, prior.omega);
  const theta = model.ln;
  const found = model.evaluate(theta, undefined, "slope");
  const variance = Float64Array.from(nodes.ids, (id, j) => {
    const g = at(arrays.group, j);
    return g < 0 ? prior.node(id).variance : Math.exp(2 * at(theta, g));
  });
  const x = rows.map(({ terms }) => {
    const dense = new Float64Array(nodes.ids.length);
    for (const [id, value] of terms) {
      const column = nodes.index.get(id) ?? 0;
      dense[column] = at(dense, column) + value;
    }
    return dense;
  });
  const sigma2 = Math.exp(2 * at(theta, theta.length - 2));
  const omega2 = Math.exp(2 * at(theta, theta.length - 1));
  // Σ = X Λ X' + noise; the posterior mean is Λ X' Σ⁻¹ y, by plain elimination.
  const n = rows.length;
  const sigma = rows.map((row, i) =>
    rows.map((other, j) => {
      const shared = row.group === other.group ? omega2 : 0;
      const own = i === j ? sigma2 / row.weight : 0;
      const effects = variance.reduce((sum, v, k) => sum + v * at(x[i] ?? [], k) * at(x[j] ?? [], k), 0);
      return effects + shared + own;
    }),
  );
  const solved = eliminate(
    sigma,
    rows.map(({ y }) => y),
  );
  for (let k = 0; k < nodes.ids.length; k += 1) {
    let mean = 0;
    for (let i = 0; i < n; i += 1) mean += at(variance, k) * at(x[i] ?? [], k) * at(solved, i);
    expect(at(found?.mode ?? [], k)).toBeCloseTo(mean, 6);
  }
});

function eliminate(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const a = matrix.map((row, i) => [...row, at(right, i)]);
  const n = a.length;
  for (let p = 0; p < n; p += 1) {
    for (let i = 0; i < n; i += 1) {
      if (i === p) continue;
      const ratio = at(a[i] ?? [], p) / at(a[p] ?? [], p);
      const pivot = a[p] ?? [];
      a[i] = (a[i] ?? []).map((value, j) => value - ratio * at(pivot, j));
    }
  }
  return a.map((row, i) => at(row, n) / at(row, i));
}

test("the order of rows and of their terms changes no digit", () => {
  const rows = binaryRows(80);
  const shuffled = [...rows].reverse().map((row) => ({ ...row, terms: [...row.terms].reverse() }));
  const summary = (head: HeadBelief) =>
    JSON.stringify(head.points.map(({ weight, mean }) => [weight, [...mean]]));
  const priors = { plain: plainPrior("success") };
  expect(summary(fitBinaryHead(binaryData(shuffled), priors))).toBe(
    summary(fitBinaryHead(binaryData(rows), priors)),
  );
  const numbers = numberRows(30);
  expect(summary(fitNumberHead(numberData([...numbers].reverse()), priors))).toBe(
    summary(fitNumberHead(numberData(numbers), priors)),
  );
});

test("whether many levels are eliminated first or not changes nothing that is believed", () => {
  const renamed = (rows: readonly BinaryRow[], level: string) =>
    rows.map((row) => ({
      ...row,
      terms: row.terms.map(([id, value]): Term => [id.replace("type:", `${level}:`), value]),
    }));
  const prior = { ...plainPrior("success"), scale: () => ({ ln: -0.5, lnSd: 0.7 }) };
  const rows = binaryRows(90);
  const leafy = binaryData(renamed(rows, "repo"));
  const plain = binaryData(renamed(rows, "level"));
  expect([leafy.nodes.leaves, plain.nodes.leaves]).toEqual([3, 0]);
  const views = [leafy, plain].map((data) => {
    const head = fitBinaryHead(data, { plain: prior });
    const level = data === leafy ? "repo" : "level";
    return ["model:1", `${level}:1`, "control:width"].map((id) => effectView(head, [[id, 1]]));
  });
  const [first, second] = views;
  for (const [k, view] of (first ?? []).entries()) {
    expect(view.mean).toBeCloseTo(second?.[k]?.mean ?? 0, 7);
    expect(view.belief.lo).toBeCloseTo(second?.[k]?.belief.lo ?? 0, 7);
  }
});

test("effects of one run that share a level keep it from being eliminated first", () => {
  const row = (group: string, task: string): NumberRow => ({
    terms: [[`task:${task}`, 1]],
    y: 1,
    weight: 1,
    group,
  });
  expect(numberData([row("a", "1"), row("b", "2")]).nodes.leaves).toBe(2);
  expect(numberData([row("a", "1"), row("a", "2")]).nodes.leaves).toBe(0);
});

test("the scale points follow the published sequence and mirror each other", () => {
  const round = (values: Float64Array) => [...values].map((value) => Math.round(value * 1e6) / 1e6);
  expect(round(uniformPoint(1, 3))).toEqual([0.319173, 0.171044, 0.0497]);
  expect(round(uniformPoint(2, 3))).toEqual([0.138345, 0.842087, 0.599401]);
  expect([...sequencePoint(3, 3)]).toEqual([...sequencePoint(2, 3)].map((value) => -value));
  const weights = cappedWeights([0, -1, -2, -50]);
  expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
});

const SHIPPED: ShippedHead = {
  groups: { model: { ln_phi_mean: Math.log(0.5), ln_phi_sd: 0.4 } },
  nodes: [
    { id: "fixed:intercept", mean: 0.8, sd: 1.2, runs: 0 },
    { id: "model:0", mean: 1.2, sd: 0.4, runs: 10 },
  ],
};

describe("the shipped prior", () => {
  test("without a run of one's own is the whole belief", () => {
    const head = fitBinaryHead(binaryData([]), {
      plain: plainPrior("success"),
      shipped: shippedPrior("success", SHIPPED),
    });
    const view = effectView(head, [["model:0", 1]]);
    expect(head.priorWeight).toBe(1);
    expect(view.mean).toBeCloseTo(1.2, 9);
    const unknown = effectView(head, [["model:unheard", 1]]);
    expect(unknown.belief.hi - unknown.belief.lo).toBeGreaterThan(view.belief.hi - view.belief.lo);
  });

  test("fades when many runs say otherwise", () => {
    const rows = Array.from({ length: 400 }, (_, i): BinaryRow => {
      const model = i % 5;
      const chance = model === 0 ? 0.2 : 0.7;
      return {
        terms: [
          ["fixed:intercept", 1],
          [`model:${model}`, 1],
        ],
        isYes: stream.uniform(5000 + i) < chance,
        reliability: 1,
        weight: 1,
      };
    });
    const plain = plainPrior("success");
    const bare = effectView(fitBinaryHead(binaryData(rows), { plain }), [["model:0", 1]]);
    const both = effectView(
      fitBinaryHead(binaryData(rows), { plain, shipped: shippedPrior("success", SHIPPED) }),
      [["model:0", 1]],
    );
    const sd = (bare.belief.hi - bare.belief.lo) / 2.56;
    expect(Math.abs(both.mean - bare.mean)).toBeLessThan(0.3 * sd);
  });
});

describe("odd data give finite, wide answers", () => {
  const priors = { plain: plainPrior("success") };
  const one = (model: string, isYes: boolean, i: number): BinaryRow => ({
    terms: [
      ["fixed:intercept", 1],
      [`model:${model}`, 1],
      [`type:${i % 2}`, 1],
    ],
    isYes,
    reliability: 0.98,
    weight: 1,
  });
  const cases: Readonly<Record<string, readonly BinaryRow[]>> = {
    "one run": [one("a", true, 0)],
    "all failures": Array.from({ length: 40 }, (_, i) => one(i % 2 === 0 ? "a" : "b", false, i)),
    "a model that always and one that never works": Array.from({ length: 60 }, (_, i) =>
      one(i % 2 === 0 ? "a" : "b", i % 2 === 0, i),
    ),
    "the same run again and again": Array.from({ length: 500 }, () => one("a", true, 0)),
    "many levels": Array.from({ length: 120 }, (_, i) => one(`m${i}`, i % 3 > 0, i)),
  };
  test.each(Object.keys(cases))("%s", (name) => {
    const view = effectView(fitBinaryHead(binaryData(cases[name] ?? []), priors), [
      ["fixed:intercept", 1],
      ["model:a", 1],
    ]);
    expect(Math.abs(view.mean)).toBeLessThan(8);
    expect(view.belief.hi - view.belief.lo).toBeGreaterThan(0.05);
    expect(Number.isFinite(view.belief.hi - view.belief.lo)).toBe(true);
  });

  test("constant cost, and costs a million times apart", () => {
    const rows = (value: (i: number) => number) =>
      Array.from(
        { length: 40 },
        (_, i): NumberRow => ({
          terms: [
            ["fixed:intercept", 1],
            [`model:${i % 3}`, 1],
          ],
          y: value(i),
          weight: 1,
          group: `r${i}`,
        }),
      );
    for (const value of [() => 0, (i: number) => (i === 7 ? Math.log(1e6) : 0)]) {
      const head = fitNumberHead(numberData(rows(value)), { plain: plainPrior("cost") });
      const view = effectView(head, [["fixed:intercept", 1]]);
      expect(Number.isFinite(view.mean)).toBe(true);
      expect(view.belief.hi).toBeGreaterThan(view.belief.lo);
      for (const point of head.points) expect(point.sigma * point.omega).toBeGreaterThan(0);
    }
  });
});
