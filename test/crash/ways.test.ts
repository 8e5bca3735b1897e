import { expect, test } from "vitest";
import { undisturbed, withCrashes } from "./crash.ts";
import { expectSameEnd } from "./expect-same.ts";
import { inParallel } from "./parallel.ts";
import { goScene, type Scene } from "./scenes.ts";

/** Steps that only these ways of working and of bringing the work home take. */
const OWN_STEP = /^(git|worktree|write|beside|remove) /;

test.each<Scene>([
  goScene("a worktree", ["--worktree"]),
  goScene("a commit", ["--level", "in-place", "--commit"]),
  goScene("a branch", ["--branch", "answer"]),
])("a session with $name comes to the same end after a crash at any step of it", async (scene) => {
  const calm = await undisturbed(scene);
  expect(calm.faults).toEqual([]);
  const steps = calm.points.flatMap((name, index) => (OWN_STEP.test(name) ? [{ name, at: index + 1 }] : []));
  expect(steps.length).toBeGreaterThan(2);
  await inParallel(steps, async ({ name, at }) => {
    const survived = await withCrashes(scene, `*:${at}`);
    expectSameEnd(`${at} ${name}`, survived, calm);
  });
});
