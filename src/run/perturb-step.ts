import { sha256 } from "../core/hash.ts";
import { perturbationFor } from "./perturb.ts";
import { nextIteration } from "./rounds.ts";
import type { SessionRun } from "./session-run.ts";

/** Before a round begins that has to be worked on in another way; true when it has just become such a one. */
export async function perturb(run: SessionRun): Promise<boolean> {
  const iteration = nextIteration(run.state);
  const seed = sha256(`${run.session} ${iteration}`);
  const how = perturbationFor(run.state, seed, iteration);
  if (how === undefined) return false;
  await run.chain.commit(() => ({
    events: [{ type: "iteration:perturbed", data: { iteration, seed, how } }],
  }));
  return true;
}
