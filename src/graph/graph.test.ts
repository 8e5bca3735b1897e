import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findCycle } from "../formats/order.ts";
import {
  amdahl,
  criticalPath,
  type GraphPiece,
  listSchedule,
  planGraph,
  scheduledWorkerCount,
  speedupCeiling,
  waves,
  wavesByPhase,
  workerCount,
} from "./index.ts";

function aPiece(id: string, dependsOn: readonly string[] = [], weight = 1): GraphPiece {
  return { id, dependsOn, weight };
}

/** Any graph with an order: a piece depends on earlier ones only, then the list is shuffled. */
function anyGraph(): fc.Arbitrary<readonly GraphPiece[]> {
  return fc
    .integer({ min: 0, max: 12 })
    .chain((count) => {
      const ids = Array.from({ length: count }, (_, index) => `p${index}`);
      return fc.tuple(
        ...ids.map((id, index) =>
          fc.record({
            id: fc.constant(id),
            dependsOn: fc.subarray(ids.slice(0, index)),
            weight: fc.integer({ min: 1, max: 9 }),
          }),
        ),
      );
    })
    .chain((pieces) => fc.shuffledSubarray(pieces, { minLength: pieces.length }));
}

describe("waves", () => {
  test("hold what can start together, in the order of ids", () => {
    const pieces = [aPiece("d", ["b", "c"]), aPiece("c", ["a"]), aPiece("b", ["a"]), aPiece("a")];
    expect(waves(pieces)).toEqual({ ok: true, value: [["a"], ["b", "c"], ["d"]] });
  });

  test("of nothing are none", () => {
    expect(waves([])).toEqual({ ok: true, value: [] });
  });

  test("a dependency that is no piece is named", () => {
    expect(waves([aPiece("a", ["z"])])).toMatchObject({
      problem: { code: "unknown-piece", message: 'piece "a" depends on "z", which is no piece' },
    });
  });

  test("a cycle is named as a circle, without what merely waits behind it", () => {
    const pieces = [aPiece("x", ["b"]), aPiece("b", ["a"]), aPiece("a", ["c"]), aPiece("c", ["b"])];
    expect(waves(pieces)).toMatchObject({
      problem: { code: "graph-cycle", message: "pieces wait for each other: a -> b -> c -> a" },
    });
  });

  test("cover each piece once, after everything it depends on", () => {
    fc.assert(
      fc.property(anyGraph(), (pieces) => {
        const order = waves(pieces);
        const waveOf = new Map(
          (order.ok ? order.value : []).flatMap((ids, at) => ids.map((id) => [id, at] as const)),
        );
        expect([...waveOf.keys()].sort()).toEqual(pieces.map(({ id }) => id).sort());
        for (const { id, dependsOn } of pieces) {
          for (const before of dependsOn) {
            expect(waveOf.get(before)).toBeLessThan(waveOf.get(id) ?? -1);
          }
        }
      }),
    );
  });

  test("a graph has an order exactly when no cycle is found in it", () => {
    const anyEdges = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 12 });
    fc.assert(
      fc.property(anyEdges, (edges) => {
        const pieces = Array.from({ length: 7 }, (_, id) =>
          aPiece(
            String(id),
            edges.filter(([from]) => from === id).map(([, to]) => String(to)),
          ),
        );
        const cycle = findCycle(pieces);
        expect(waves(pieces).ok).toBe(cycle.length === 0);
        for (const [at, id] of cycle.entries()) {
          const next = cycle[(at + 1) % cycle.length] ?? "";
          expect(pieces.find((piece) => piece.id === next)?.dependsOn).toContain(id);
        }
      }),
    );
  });
});

describe("sizing", () => {
  test.each([
    [0.95, 16, 9.14],
    [0.7, 16, 2.91],
    [0.95, 256, 18.6],
  ])("the speedup at p = %d on %d workers is %d", (p, workers, speedup) => {
    expect(amdahl(p, workers)).toBeCloseTo(speedup, 1);
  });

  test("the ceiling at p = 0.95 is 20, and at p = 1 there is none", () => {
    expect(speedupCeiling(0.95)).toBeCloseTo(20);
    expect(speedupCeiling(1)).toBe(Number.POSITIVE_INFINITY);
  });

  test("of equal chains the first dependency counts, of equal ends the last id", () => {
    const pieces = [aPiece("s"), aPiece("t"), aPiece("y", ["t", "s"]), aPiece("z", ["s", "t"])];
    expect(criticalPath(pieces)).toEqual({ pieces: ["s", "z"], cost: 2 });
  });

  test.each([
    [{ mode: "sequential" } as const, 1],
    [{ mode: "fixed", maxParallel: 3 } as const, 3],
    [{ mode: "fixed", maxParallel: 9 } as const, 5],
    [{ mode: "fixed", maxParallel: 0 } as const, 1],
    [{ mode: "auto", cap: 2, minMarginalGain: 0 } as const, 2],
    [{ mode: "auto", cap: 16, minMarginalGain: 0.3 } as const, 4],
  ])("%j gives %d workers on five at once", (concurrency, workers) => {
    expect(workerCount(concurrency, 0.8, 5)).toBe(workers);
  });

  test("an empty graph has a plan", () => {
    expect(planGraph([])).toMatchObject({
      value: { waves: [], totalCost: 0, workers: 1, scheduledSpeedup: 1 },
    });
  });
});

describe("workers by the schedule's own curve", () => {
  test("a second worker is started for its share of the time, where an absolute gain would not do", () => {
    const chain = Array.from({ length: 30 }, (_, at) => aPiece(`c${at}`, at === 0 ? [] : [`c${at - 1}`]));
    const plan = planGraph([...chain, aPiece("beside")]);
    expect(plan).toMatchObject({ value: { workers: 1, scheduledWorkers: 1 } });
    const share = planGraph([...chain.slice(0, 12), aPiece("beside")]);
    expect(share).toMatchObject({ value: { workers: 1, scheduledWorkers: 2 } });
  });

  test("a step that gains nothing does not hide a later one that does", () => {
    expect(scheduledWorkerCount([1, 1, 1.5, 1.5], 0.05)).toBe(3);
    expect(scheduledWorkerCount([1, 1, 1, 1.1], 0.05)).toBe(1);
    expect(scheduledWorkerCount([1, 2, 2.5, 2.6], 0.05)).toBe(3);
  });

  test("no worker is started for nothing", () => {
    fc.assert(
      fc.property(anyGraph(), (pieces) => {
        const plan = planGraph(pieces);
        if (!plan.ok) throw new Error(plan.problem.message);
        const { curve, scheduledWorkers, speedupCeiling: ceiling } = plan.value;
        const reached = curve[scheduledWorkers - 1] ?? 1;
        const fewer = curve.slice(0, scheduledWorkers - 1);
        expect(Math.max(0, ...fewer)).toBeLessThan(reached);
        expect(reached).toBeLessThanOrEqual(ceiling + 1e-9);
      }),
    );
  });

  test("sequential is one, fixed is at most what it says", () => {
    const pieces = [aPiece("a"), aPiece("b"), aPiece("c")];
    expect(planGraph(pieces, { mode: "sequential" })).toMatchObject({
      value: { scheduledWorkers: 1, curve: [1] },
    });
    expect(planGraph(pieces, { mode: "fixed", maxParallel: 2 })).toMatchObject({
      value: { scheduledWorkers: 2 },
    });
  });
});

test("waves by phase hold no piece of another phase, and those of none come first", () => {
  const pieces = [
    { ...aPiece("a"), phase: "one" },
    { ...aPiece("b", ["a"]), phase: "two" },
    aPiece("c", ["b"]),
    { ...aPiece("d", ["b"]), phase: "two" },
  ];
  expect(wavesByPhase(pieces)).toEqual([
    { phase: undefined, waves: [["c"]] },
    { phase: "one", waves: [["a"]] },
    { phase: "two", waves: [["b"], ["d"]] },
  ]);
});

describe("the list schedule", () => {
  test("starts the heaviest chain first", () => {
    const pieces = [aPiece("a", [], 1), aPiece("b", [], 2), aPiece("c", ["a"], 5)];
    expect(listSchedule(pieces, 1).pieces.map(({ id }) => id)).toEqual(["a", "c", "b"]);
    expect(listSchedule(pieces, 2).makespan).toBe(6);
  });

  test("lets pieces that share the folder take turns, and begins those apart meanwhile", () => {
    const inPlace = (id: string, weight: number) => ({
      ...aPiece(id, [], weight),
      isolation: { mode: "none" },
    });
    const pieces = [inPlace("a", 3), inPlace("b", 2), { ...aPiece("c"), isolation: { mode: "worktree" } }];
    expect(listSchedule(pieces, 3)).toEqual({
      pieces: [
        { id: "a", worker: 0, start: 0, end: 3 },
        { id: "c", worker: 1, start: 0, end: 1 },
        { id: "b", worker: 0, start: 3, end: 5 },
      ],
      makespan: 5,
    });
    const plan = planGraph(pieces, { mode: "fixed", maxParallel: 9 });
    expect(plan).toMatchObject({ value: { scheduledWorkers: 2, curve: [1, 1.2] } });
  });

  test("respects dependencies and workers, idles nobody, and lies between its bounds", () => {
    fc.assert(
      fc.property(anyGraph(), fc.integer({ min: 1, max: 4 }), (pieces, workers) => {
        const schedule = listSchedule(pieces, workers);
        const at = new Map(schedule.pieces.map((piece) => [piece.id, piece]));
        expect(at.size).toBe(pieces.length);
        for (const { id, dependsOn, weight } of pieces) {
          const { start = -1, end = -1 } = at.get(id) ?? {};
          expect(end - start).toBe(weight);
          for (const before of dependsOn) expect(at.get(before)?.end).toBeLessThanOrEqual(start);
          const beside = schedule.pieces.filter((one) => one.start <= start && start < one.end);
          expect(beside.length).toBeLessThanOrEqual(workers);
        }
        const total = pieces.reduce((sum, { weight }) => sum + weight, 0);
        const bound = Math.max(criticalPath(pieces).cost, total / workers);
        expect(schedule.makespan).toBeGreaterThanOrEqual(bound);
        expect(schedule.makespan).toBeLessThanOrEqual(2 * bound);
      }),
    );
  });
});
