import { expect, test } from "vitest";
import { undisturbed, withCrashes } from "./crash.ts";
import { expectSameEnd } from "./expect-same.ts";
import { isThorough } from "./how-many.ts";
import { inParallel } from "./parallel.ts";
import { pickedScene, reviewedScene } from "./workflow-scenes.ts";

/** One step in so many. */
const STRIDE = isThorough ? 3 : 24;

test.each([reviewedScene, pickedScene].map((scene) => [scene.name, scene] as const))(
  "a workflow in which work is %s comes to the same end after dying at a durable step",
  async (_name, scene) => {
    const calm = await undisturbed(scene);
    expect(calm.faults).toEqual([]);
    const points = calm.points.flatMap((name, index) =>
      index % STRIDE === 0 ? [{ name, at: index + 1 }] : [],
    );
    await inParallel(points, async ({ name, at }) => {
      expectSameEnd(`${at} ${name}`, await withCrashes(scene, `*:${at}`), calm);
    });
  },
);
