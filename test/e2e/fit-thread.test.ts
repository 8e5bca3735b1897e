import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { fitThread } from "../../src/adapters/fit-thread/index.ts";
import { fitBelief, fitBeliefBeside, keepFit } from "../../src/learn/index.ts";
import { SHIPPED_PRIOR } from "../../src/learn/prior/load.ts";
import { simulateUser } from "../../src/testing/learner-catalogue.ts";

const catalogue = { types: 3, repositories: 5, models: 4, shapes: 3, parts: 5, months: 2 };
const runs = simulateUser(2, 120, catalogue);

test("the built thread fits heads to the bit, one after the other", async () => {
  const thread = fitThread(pathToFileURL(resolve("dist/fit-thread.cjs")));
  const wanted = keepFit(fitBelief(runs, SHIPPED_PRIOR));
  for (let time = 0; time < 2; time += 1) {
    expect(keepFit(await fitBeliefBeside(thread, runs, SHIPPED_PRIOR))).toEqual(wanted);
  }
});

test("a thread that cannot run refuses its job, and the next one too", async () => {
  const thread = fitThread(new URL("data:text/javascript,throw new Error('broken')"));
  for (let time = 0; time < 2; time += 1) {
    await expect(thread.fit({}, [])).rejects.toThrow("ended without an answer");
  }
});
