import { beforeAll, expect, test } from "vitest";
import { chanceFrom } from "./chance.ts";
import { type Calm, undisturbed, withCrashes } from "./crash.ts";
import { expectSameEnd } from "./expect-same.ts";
import { isThorough, SEED } from "./how-many.ts";
import { inParallel } from "./parallel.ts";
import { goScene } from "./scenes.ts";

const scene = goScene("in place", ["--level", "in-place"]);
let calm: Calm;
beforeAll(async () => {
  calm = await undisturbed(scene);
});

/** From the dispatch of the second round to the end of its attempt: the same steps as in the first. */
function isRepeated(index: number): boolean {
  const nth = (name: string, n: number): number =>
    calm.points.flatMap((point, at) => (point === name ? [at] : []))[n - 1] ?? -1;
  return index >= nth("blob:before", 3) && index <= nth("complete:after", 2);
}

/**
 * What is on the disk just before a write is what the step before it left, so one crash after each step meets every
 * state. The thorough run takes the other half too, and what repeats.
 */
test("a session that dies at any durable step comes to the same end after resume", async () => {
  expect(calm.faults).toEqual([]);
  const points = calm.points.flatMap((name, index) =>
    isThorough ||
    (!isRepeated(index) && (index === 0 || !name.endsWith(":before") || name === "spawn:before"))
      ? [{ name, at: index + 1 }]
      : [],
  );
  await inParallel(points, async ({ name, at }) => {
    expectSameEnd(`${at} ${name}`, await withCrashes(scene, `*:${at}`), calm);
  });
});

test("a session whose resumes die too comes to the same end", async () => {
  const chance = chanceFrom(SEED);
  const point = (most: number): string => `*:${1 + Math.floor(chance() * most)}`;
  const runs = Array.from({ length: isThorough ? 30 : 6 }, () => ({
    first: point(calm.points.length),
    later: [point(12), point(30)],
  }));
  await inParallel(runs, async ({ first, later }) => {
    expectSameEnd(`${first}, then ${later.join(" and ")}`, await withCrashes(scene, first, later), calm);
  });
});
