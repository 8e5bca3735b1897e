import { fail, ok, type Result } from "../core/result.ts";
import { readStored } from "../formats/recommendation/read-stored.ts";
import { type Belief, fitBelief, type RunFacts, runsInOrder, type ShippedPrior } from "../learn/index.ts";
import type { Store } from "../ports/store.ts";
import { fitId } from "./fit-id.ts";

/**
 * The fit that a kept recommendation names, made again from the runs that it rested on: fits are functions of runs, so
 * none is kept. Problem: `no-such-fit` where none names it, or its runs have changed since.
 */
export async function earlierFit(
  store: Store | undefined,
  wanted: string,
  runs: readonly RunFacts[],
  prior: ShippedPrior | undefined,
): Promise<Result<Belief>> {
  const count = await runsBehind(store, wanted);
  if (!count.ok) return count;
  if (count.value === undefined) {
    return fail("no-such-fit", `no recommendation that was kept rests on ${wanted}`, {
      hint: "`loopwright recommend --json` names its fit",
    });
  }
  const belief = fitBelief(runsInOrder(runs).slice(0, count.value), prior);
  return fitId(belief) === wanted
    ? ok(belief)
    : fail("no-such-fit", `the runs that ${wanted} rested on have changed since, or the prior has`);
}

async function runsBehind(store: Store | undefined, wanted: string): Promise<Result<number | undefined>> {
  const rows = await store?.recommendations();
  if (rows?.ok === false) return rows;
  for (const { recommendation } of rows?.value ?? []) {
    const text = await store?.recommendation(recommendation);
    if (text?.ok === false) return text;
    const stored = text?.value === undefined ? undefined : readStored(text.value);
    if (stored?.ok === true && stored.value.fit.id === wanted) return ok(stored.value.fit.runs);
  }
  return ok(undefined);
}
