import { expect, test } from "vitest";
import { logistic } from "../kernels/normal.ts";
import { naturalSpline } from "../kernels/spline.ts";
import { anySizeRange } from "../ranges/any-size.ts";
import { cavity, partEffects } from "../ranges/effect.ts";
import type { BinaryRow } from "../rows/head-rows.ts";
import type { Term } from "../rows/terms.ts";
import { binaryData } from "./design.ts";
import { fitBinaryHead } from "./fit-head.ts";
import type { HeadPrior } from "./prior-table.ts";

const PART = "part:h|skill:a";

/** Scales that are as good as known, so that the answer can be worked out by hand. */
const KNOWN_SCALES: HeadPrior = {
  scale: () => ({ ln: Math.log(0.7), lnSd: 1e-3 }),
  node: (id) =>
    id === "fixed:intercept"
      ? { mean: 0.5, variance: 4, isScaled: false }
      : { mean: 0, variance: 0.49, isScaled: false },
  sigma: { ln: 0, lnSd: 1 },
  omega: { ln: 0, lnSd: 1 },
};

function rowsOf(yesWith: number, noWith: number, yesWithout: number, noWithout: number): BinaryRow[] {
  const row = (hasPart: boolean, isYes: boolean): BinaryRow => {
    const terms: Term[] = hasPart
      ? [
          ["fixed:intercept", 1],
          [PART, 1],
        ]
      : [["fixed:intercept", 1]];
    return { terms, isYes, reliability: 1, weight: 1 };
  };
  return [
    ...Array.from({ length: yesWith }, () => row(true, true)),
    ...Array.from({ length: noWith }, () => row(true, false)),
    ...Array.from({ length: yesWithout }, () => row(false, true)),
    ...Array.from({ length: noWithout }, () => row(false, false)),
  ];
}

/** ln ∫ p(answers | intercept, effect) p(intercept), by the trapezoid rule. */
function logEvidence(effect: number): number {
  let sum = 0;
  const step = 0.02;
  for (let b = -8; b <= 9; b += step) {
    const within = logistic(b + effect);
    const without = logistic(b);
    const likelihood = within ** 14 * (1 - within) * without ** 6 * (1 - without) ** 9;
    sum += step * likelihood * Math.exp(-((b - 0.5) ** 2) / 8);
  }
  return Math.log(sum);
}

test("the curve of a large effect is that of the integrated likelihood, not the normal one", () => {
  const head = fitBinaryHead(binaryData(rowsOf(14, 1, 6, 9)), { plain: KNOWN_SCALES });
  const given = cavity(head, [[PART, 1]]);
  const distance = head.curves?.([[PART, 1]], given);
  if (distance === undefined) throw new Error("no curve");
  const places = Array.from({ length: 301 }, (_, i) => -1 + i * 0.025);
  const exact = places.map(logEvidence);
  const most = Math.max(...exact);
  const peak = places[exact.indexOf(most)] ?? 0;
  let worstCurve = 0;
  let worstNormal = 0;
  for (const effect of [0, 0.5, 1, 1.5, 4, 5]) {
    const root = Math.sign(peak - effect) * Math.sqrt(2 * (most - logEvidence(effect)));
    worstCurve = Math.max(worstCurve, Math.abs(distance(effect) - root));
    worstNormal = Math.max(worstNormal, Math.abs((given.estimate - effect) / given.error - root));
  }
  expect(worstCurve).toBeLessThan(0.15);
  expect(worstNormal).toBeGreaterThan(2 * worstCurve);
});

test("a large effect of few runs gets a range that reaches further on the far side", () => {
  const head = fitBinaryHead(binaryData(rowsOf(14, 1, 6, 9)), { plain: KNOWN_SCALES });
  const view = partEffects(head).get(PART);
  const given = cavity(head, [[PART, 1]]);
  const normal = anySizeRange(given, 0.8);
  expect(view?.range?.range80.hi).toBeGreaterThan(normal.hi + 0.05);
  expect(view?.range?.range95.lo).toBeLessThan(view?.range?.range80.lo ?? 0);
  expect(view?.range?.range95.hi).toBeGreaterThan(view?.range?.range80.hi ?? 0);
});

test("a head with many rows needs no curve", () => {
  const head = fitBinaryHead(binaryData(rowsOf(200, 60, 200, 60)), { plain: KNOWN_SCALES });
  expect(head.curves).toBeUndefined();
});

test("a natural spline meets its points, and a straight line everywhere", () => {
  const bent = naturalSpline(1, 0.5, [0, 1, 4, 2]);
  for (const [i, value] of [0, 1, 4, 2].entries()) expect(bent.valueAt(1 + i / 2)).toBeCloseTo(value, 12);
  expect((bent.valueAt(1.7001) - bent.valueAt(1.6999)) / 2e-4).toBeCloseTo(bent.slopeAt(1.7), 5);
  const straight = naturalSpline(0, 1, [1, 3, 5, 7]);
  expect(straight.valueAt(1.3)).toBeCloseTo(3.6, 12);
  expect(straight.slopeAt(2.2)).toBeCloseTo(2, 12);
});
