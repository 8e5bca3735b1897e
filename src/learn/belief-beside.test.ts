import { expect, test } from "vitest";
import type { FitThread } from "../ports/fit-thread.ts";
import { simulateUser } from "../testing/learner-catalogue.ts";
import { fitBelief, fitBeliefBeside, keepFit } from "./belief.ts";
import { doneHead, type HeadJob } from "./head-job.ts";
import { SHIPPED_PRIOR } from "./prior/load.ts";

const runs = simulateUser(4, 63, { types: 2, repositories: 3, models: 3, shapes: 2, parts: 4, months: 2 });
const wanted = keepFit(fitBelief(runs, SHIPPED_PRIOR));

/** What a job is on the other side; the arrays that changed hands are empty on this one. */
function handedOver(job: object, arrays: readonly ArrayBufferLike[]): HeadJob {
  return structuredClone(job as HeadJob, { transfer: arrays.filter((one) => one instanceof ArrayBuffer) });
}

const threads: Readonly<Record<string, FitThread["fit"]>> = {
  "that answers": (job, arrays) => Promise.resolve(doneHead(handedOver(job, arrays))),
  "that ends without an answer": (job, arrays) => {
    handedOver(job, arrays);
    return Promise.reject(new Error("gone"));
  },
  "that answers nothing of use": (job, arrays) => {
    handedOver(job, arrays);
    return Promise.resolve(new Uint8Array(8));
  },
};

test.each(Object.entries(threads))("a fit beside a thread %s is the fit to the bit", async (_, fit) => {
  expect(keepFit(await fitBeliefBeside({ fit }, runs, SHIPPED_PRIOR))).toEqual(wanted);
});

test("beside a thread a fit goes on from a kept one too", async () => {
  const fit: FitThread["fit"] = () => Promise.reject(new Error("not asked"));
  const kept = keepFit(fitBelief(runs.slice(0, 61), SHIPPED_PRIOR));
  expect(keepFit(await fitBeliefBeside({ fit }, runs, SHIPPED_PRIOR, kept))).toEqual(wanted);
});
