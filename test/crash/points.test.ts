import { expect, test } from "vitest";
import { undisturbed, withCrashes } from "./crash.ts";
import { expectSameEnd } from "./expect-same.ts";
import { inParallel } from "./parallel.ts";
import { goScene } from "./scenes.ts";

test("a session that dies at any durable step comes to the same end after resume", async () => {
  const scene = goScene("in place", ["--level", "in-place"]);
  const calm = await undisturbed(scene);
  expect(calm.faults).toEqual([]);
  await inParallel(calm.points, async (name, index) => {
    const survived = await withCrashes(scene, `*:${index + 1}`);
    expectSameEnd(`${index + 1} ${name}`, survived, calm);
  });
});
