import type { JsonObject } from "../core/canonical-json.ts";
import type { Store } from "../ports/store.ts";
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
  const { writeReceipt } = await import("./receipt.ts");
  const written = await writeReceipt(context, store, run);
  if (written.ok) return written.value;
  context.talk(`no receipt for ${run}: ${written.problem.message}`);
  return null;
}
