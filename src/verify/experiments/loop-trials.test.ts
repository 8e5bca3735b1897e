import { expect, test } from "vitest";
import { keyedStream } from "../../learn/kernels/keyed-random.ts";
import { nextTrial, standings, type Trial } from "./loop-trials.ts";

/** Runs a loop so often, each run as the plan says, and tells how its changes stand. */
function live(
  changes: readonly string[],
  runs: number,
  accepted: (plan: { arm: string; change: string }, n: number) => boolean,
) {
  const trials: Trial[] = [];
  for (let n = 0; n < runs; n += 1) {
    const plan = nextTrial(changes, trials, 3);
    if (plan === undefined) break;
    trials.push({ ...plan, isAccepted: accepted(plan, n) });
  }
  return { trials, standings: standings(trials, 3) };
}

test("one lucky run is not evidence", () => {
  const lucky = ({ arm }: { arm: string }) => arm === "with";
  for (const runs of [1, 2, 4]) {
    for (const { verdict } of live(["pdf"], runs, lucky).standings) expect(verdict.kind).toBe("undecided");
  }
  expect(live(["pdf"], 40, lucky).standings).toMatchObject([
    { change: "pdf", losses: 0, verdict: { kind: "adopt" } },
  ]);
});

test("a change that does harm is given up, and what was decided is not run again", () => {
  const { trials, standings: found } = live(["pdf"], 200, ({ arm }) => arm === "without");
  expect(found).toMatchObject([{ wins: 0, verdict: { kind: "reject" } }]);
  expect(trials.length).toBeLessThan(40);
});

test("a pair that was begun is ended before another, and pairs go to the change with the fewest", () => {
  const { trials } = live(["a", "b"], 8, () => true);
  expect(trials.map(({ change, pair }) => `${change}${pair}`)).toEqual([
    "a1",
    "a1",
    "b1",
    "b1",
    "a2",
    "a2",
    "b2",
    "b2",
  ]);
  const firsts = live(["a"], 100, () => true)
    .trials.filter((_, n) => n % 2 === 0)
    .map(({ arm }) => arm);
  expect(new Set(firsts).size).toBe(2);
});

test("a run of which nothing is known leaves its pair out", () => {
  const trials: Trial[] = [
    { change: "a", pair: 1, arm: "with" },
    { change: "a", pair: 1, arm: "without", isAccepted: false },
  ];
  expect(standings(trials, 3)).toMatchObject([{ pairs: 0, wins: 0 }]);
});

test("of changes that do nothing, however many a loop tries, at most one life in twenty adopts any", () => {
  let lives = 0;
  const changes = Array.from({ length: 4 }, (_, n) => `c${n}`);
  for (let seed = 0; seed < 60; seed += 1) {
    const stream = keyedStream(seed, "loop-trials");
    const { standings: found } = live(changes, 100, (_plan, n) => stream.uniform(n) < 0.5);
    if (found.some(({ verdict }) => verdict.kind === "adopt")) lives += 1;
  }
  expect(lives).toBeLessThanOrEqual(6);
});
