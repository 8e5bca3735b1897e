import { describe, expect, test } from "vitest";
import { keyedStream } from "../../learn/kernels/keyed-random.ts";
import { cheaperProb } from "./cost-per-accepted.ts";
import { decideChange } from "./decide.ts";
import { type ArmRun, pairRuns } from "./pair-runs.ts";
import {
  adoptionProb,
  adoptThreshold,
  computeThreshold,
  evidence,
  smallestDetectable,
} from "./sequential.ts";
import { DEFAULT_RULE, type Pair } from "./types.ts";

const pair = (base: boolean, candidate: boolean): Pair => ({
  baseAccepted: base,
  candidateAccepted: candidate,
});
const win = pair(false, true);
const tie = pair(true, true);

describe("the threshold of adoption lies between two attainable beliefs", () => {
  test.each([
    [8, 0.05, 0.96875, 0.980469, 0.035],
    [16, 0.05, 0.975479, 0.980469, 0.04],
    [32, 0.05, 0.980469, 0.980713, 0.041],
    [8, 0.1, 0.9375, 0.964844, 0.078],
    [16, 0.1, 0.961594, 0.964844, 0.099],
  ])("%d pairs at %d", (maxPairs, alpha, below, above, attained) => {
    const found = computeThreshold(maxPairs, alpha);
    expect(found.below).toBeCloseTo(below, 5);
    expect(found.above).toBeCloseTo(above, 5);
    expect(Math.abs(found.attained - attained)).toBeLessThan(6e-4);
    expect(Math.abs(adoptThreshold(maxPairs, alpha) - found.threshold)).toBeLessThan(1e-6);
  });

  test("four pairs can adopt nothing at 5 %", () => {
    expect(computeThreshold(4, 0.05).threshold).toBeGreaterThan(1);
  });
});

test("a change that is no better is adopted at most as often as stated, a better one as often as the table says", () => {
  const threshold = adoptThreshold(64, 0.05);
  for (const rate of [0.02, 0.1, 0.3, 0.5, 0.7, 1]) {
    expect(adoptionProb(64, threshold, rate / 2, rate / 2)).toBeLessThanOrEqual(0.05);
  }
  const power = (base: number, candidate: number) =>
    adoptionProb(64, threshold, candidate * (1 - base), base * (1 - candidate));
  expect(power(0.5, 0.7)).toBeCloseTo(0.63, 1);
  expect(power(0.5, 0.9)).toBeGreaterThan(0.99);
});

test.each([
  [5, 0, 8, 0, 9.9568],
  [8, 1, 16, 0, 12.133],
  [12, 3, 32, 0.05, 4.3597],
])("evidence of %d wins and %d losses in %d pairs over %d", (wins, losses, pairs, floor, value) => {
  expect(evidence(wins, losses, pairs, floor)).toBeCloseTo(value, 3);
});

describe("a decision falls only at the looks", () => {
  const wins8 = Array.from({ length: 8 }, () => win);

  test("pairs that come in bulk give the decision of the first look that decides", () => {
    expect(decideChange(wins8, DEFAULT_RULE)).toMatchObject({ kind: "adopt", look: { pairs: 8 } });
    const losing = Array.from({ length: 24 }, () => pair(true, false));
    expect(decideChange([...wins8, ...losing], DEFAULT_RULE)).toMatchObject({
      kind: "adopt",
      look: { pairs: 8 },
    });
  });

  test("pairs between two looks change nothing, nor does their order", () => {
    const seven = [...wins8.slice(1), tie, tie, tie];
    expect(decideChange(seven.slice(0, 7), DEFAULT_RULE)).toEqual({ kind: "undecided", nextLook: 8 });
    const start = Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? win : tie));
    const more = [win, tie, tie, win];
    const decided = decideChange([...start, ...more], DEFAULT_RULE);
    expect(decideChange([...start, ...more.reverse()], DEFAULT_RULE)).toEqual(decided);
    expect(decided).toEqual({ kind: "undecided", nextLook: 32 });
  });

  test("a pair without an outcome does not count, and ties alone decide nothing", () => {
    const unknown: Pair = { baseAccepted: true };
    expect(decideChange([...wins8.slice(1), unknown], DEFAULT_RULE)).toEqual({
      kind: "undecided",
      nextLook: 8,
    });
    expect(
      decideChange(
        Array.from({ length: 64 }, () => tie),
        DEFAULT_RULE,
      ).kind,
    ).toBe("unresolved");
  });

  test("a worse candidate is given up", () => {
    const losses = Array.from({ length: 4 }, () => pair(true, false));
    expect(decideChange(losses, DEFAULT_RULE).kind).toBe("reject");
  });
});

describe("cost per accepted result", () => {
  const rule = { ...DEFAULT_RULE, objective: "cost-per-accepted" } as const;
  const cheap = Array.from(
    { length: 16 },
    (_, i): Pair => ({
      ...tie,
      baseUsd: 1,
      candidateUsd: 0.4 + 0.02 * (i % 5),
    }),
  );

  test("a change that halves the cost is adopted, one that doubles it is not", () => {
    expect(decideChange(cheap, rule).kind).toBe("adopt");
    const dear = cheap.map((one): Pair => ({ ...one, candidateUsd: 2 }));
    expect(decideChange(dear, rule).kind).toBe("reject");
  });

  test("a missing cost leaves the decision to the outcomes", () => {
    const [first, ...rest] = cheap;
    const { candidateUsd: _, ...blank } = first ?? tie;
    expect(decideChange([blank, ...rest], rule)).toEqual({ kind: "undecided", nextLook: 32 });
  });

  test("equal arms are rarely adopted, whenever one stops", { timeout: 60_000 }, () => {
    let adopted = 0;
    for (let seed = 0; seed < 20; seed += 1) {
      const stream = keyedStream(seed, "equal arms");
      const pairs = Array.from(
        { length: 32 },
        (_, i): Pair => ({
          baseAccepted: stream.uniform(4 * i) < 0.7,
          candidateAccepted: stream.uniform(4 * i + 1) < 0.7,
          baseUsd: Math.exp(0.5 * stream.normal(4 * i + 2)),
          candidateUsd: Math.exp(0.5 * stream.normal(4 * i + 3)),
        }),
      );
      if (decideChange(pairs, { ...rule, maxPairs: 32 }).kind === "adopt") adopted += 1;
    }
    expect(adopted / 20).toBeLessThan(0.16);
  });

  test("no pairs say nothing", () => {
    expect(cheaperProb({ logRatios: [], baseAccepted: 0, candidateAccepted: 0 }, 0)).toBeCloseTo(0.5, 3);
  });
});

describe("further rules", () => {
  const wins = (count: number) => Array.from({ length: count }, () => win);

  test("at any time: six wins adopt between two looks, and the first decision stands", () => {
    const rule = { ...DEFAULT_RULE, isAnytime: true };
    expect(decideChange(wins(5), rule)).toEqual({ kind: "undecided", nextLook: 6 });
    expect(decideChange(wins(6), rule)).toMatchObject({ kind: "adopt", look: { pairs: 6 } });
    const losing = Array.from({ length: 20 }, () => pair(true, false));
    expect(decideChange([...wins(6), ...losing], rule)).toMatchObject({ kind: "adopt", look: { pairs: 6 } });
  });

  test("a candidate that costs too much is given up, however well it does, but not before the fewest pairs", () => {
    const rule = { ...DEFAULT_RULE, maxCostRatio: 1.5 };
    const dear = wins(8).map((one): Pair => ({ ...one, baseUsd: 1, candidateUsd: 2 }));
    expect(decideChange(dear, rule)).toMatchObject({
      kind: "reject",
      look: { pairs: 4, measure: "cost-ratio" },
    });
    expect(decideChange(dear.slice(0, 3), rule).kind).toBe("undecided");
    const fair = dear.map((one): Pair => ({ ...one, candidateUsd: 1.4 }));
    expect(decideChange(fair, rule).kind).toBe("adopt");
  });
});

test("fewer pairs can only detect larger gains", () => {
  const few = smallestDetectable(16, 0.05, 0.5) ?? 1;
  const more = smallestDetectable(64, 0.05, 0.5) ?? 1;
  expect(more).toBeLessThan(few);
  expect(more).toBeGreaterThan(0.15);
});

describe("runs pair up by slate, else by task and base commit", () => {
  const run = (id: string, configuration: string, more: Partial<ArmRun>): ArmRun => ({
    run: id,
    configuration,
    startedAt: `2026-11-0${id.slice(-1)}T00:00:00Z`,
    isAccepted: true,
    ...more,
  });

  test("in the order in which the later arm started", () => {
    const paired = pairRuns(
      [
        run("r4", "new", { slate: "b" }),
        run("r1", "old", { task: "t", baseCommit: "c" }),
        run("r2", "new", { task: "t", baseCommit: "c", isAccepted: false }),
        run("r3", "old", { slate: "b" }),
        run("r5", "old", { task: "t2", baseCommit: "c" }),
        run("r6", "else", { slate: "b" }),
      ],
      "old",
      "new",
    );
    expect(paired.pairs.map(({ id }) => id)).toEqual(["task t at c", "slate b"]);
    expect(paired.pairs[0]).toMatchObject({ baseAccepted: true, candidateAccepted: false });
    expect(paired.unpaired).toEqual(["r5"]);
  });

  test("and a place where one arm ran twice is left out, so that nobody picks an outcome", () => {
    const twice = [
      run("r1", "old", { slate: "a" }),
      run("r2", "new", { slate: "a", isAccepted: false }),
      run("r3", "new", { slate: "a" }),
    ];
    expect(pairRuns(twice, "old", "new").pairs).toEqual([]);
  });
});
