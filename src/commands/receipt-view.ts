import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import { RECEIPT_EXT } from "../formats/recommendation/receipt-ext.ts";
import type { Store } from "../ports/store.ts";
import { FEWEST_RUNS } from "./go-advice.ts";
import { flag, type JsonSchema, number, object, orNull, text, whole } from "./schema.ts";
import type { CommandContext } from "./types.ts";

const MOVED = object({ from: number, to: number });

/** The receipt of a finished run in an answer; null where none could be written. */
export const RECEIPT: JsonSchema = orNull(
  object({
    rec: orNull(text),
    predicted: object({
      chance: orNull(number),
      cost_usd: object({ mean: number, lo: number, hi: number, level: number, range_kind: text }),
    }),
    actual: object({ accepted: orNull(flag), cost_usd: orNull(number) }),
    cost_in_interval: orNull(flag),
    log_score: orNull(number),
    moved: object({ chance: MOVED, cost_usd: MOVED }),
    so_far: object({ receipts: whole, costs: whole, costs_inside: whole }),
  }),
);

/** The receipt of a run. Without one the run is what it was: a problem is told and nothing more. */
export async function receiptOf(
  context: CommandContext,
  store: Store,
  run: string,
): Promise<JsonObject | null> {
  const worth = await isWorthIt(store, run);
  if (worth.ok && !worth.value) return null;
  const { writeReceipt } = await import("./receipt.ts");
  const written = await writeReceipt(context, store, run);
  if (written.ok) return written.value;
  context.talk(`no receipt for ${run}: ${written.problem.message}`);
  return null;
}

/** With fewer runs before it nothing is foretold that is worth a fit; with more the fit takes longer than a person waits. */
const MOST_RUNS = 2000;

/** What was foretold when the run began is always held against what came. */
async function isWorthIt(store: Store, run: string): Promise<Result<boolean>> {
  const { readRun } = await import("../record/judging.ts");
  const known = await readRun(store, run);
  if (!known.ok) return known;
  if (known.value.document.run.ext?.[RECEIPT_EXT] !== undefined) return ok(true);
  const totals = await store.runTotals({ state: "finished" });
  return totals.ok ? ok(totals.value.runs > FEWEST_RUNS && totals.value.runs <= MOST_RUNS) : totals;
}
