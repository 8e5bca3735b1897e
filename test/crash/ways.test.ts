import { expect, test } from "vitest";
import { type Calm, undisturbed, withCrashes } from "./crash.ts";
import { expectSameEnd } from "./expect-same.ts";
import { isThorough } from "./how-many.ts";
import { inParallel } from "./parallel.ts";
import { goScene, graphScene, type Scene } from "./scenes.ts";

/** The graph has many steps that are like those of a single piece. */
const EVERY = isThorough ? 6 : 36;

/** Steps that only these ways of working and of bringing the work home take. */
const OWN_STEP = /^(git|worktree|write|beside|remove) /;

/** A crash at each of these steps of a session; what the crashed run did in another order is met by chance. */
async function crashAt(
  scene: Scene,
  calm: Calm,
  choose: (name: string, index: number) => boolean,
): Promise<void> {
  const steps = calm.points.flatMap((name, index) => (choose(name, index) ? [{ name, at: index + 1 }] : []));
  expect(steps.length).toBeGreaterThan(2);
  await inParallel(steps, async ({ name, at }) => {
    expectSameEnd(`${at} ${name}`, await withCrashes(scene, `*:${at}`), calm);
  });
}

test.each<Scene>([
  goScene("a worktree", ["--worktree"]),
  goScene("a commit", ["--level", "in-place", "--commit"]),
  goScene("a branch", ["--branch", "answer"]),
])("a session with $name comes to the same end after a crash at any step of it", async (scene) => {
  const calm = await undisturbed(scene);
  expect(calm.faults).toEqual([]);
  await crashAt(scene, calm, (name) => OWN_STEP.test(name));
});

test("a graph with pieces beside each other comes to the same end after a crash", async () => {
  const scene = graphScene("graph");
  const calm = await undisturbed(scene);
  expect(calm.faults).toEqual([]);
  await crashAt(scene, calm, (_, index) => index % EVERY === EVERY - 1);
});
