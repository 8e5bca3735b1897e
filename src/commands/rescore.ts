import { ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { RECEIPT_EXT } from "../formats/recommendation/receipt-ext.ts";
import type { Store } from "../ports/store.ts";
import type { CommandContext } from "./types.ts";

/** Scores a run's receipt by what is said of the run now, when it has one. True when that changed the receipt. */
export async function rescoreReceipt(
  context: Pick<CommandContext, "now">,
  store: Store,
  { run }: OcpDocument,
): Promise<Result<boolean>> {
  if (run.ext?.[RECEIPT_EXT] === undefined) return ok(false);
  const { changeRun, judge } = await import("../record/judging.ts");
  const { rescored } = await import("../plan/rescore.ts");
  const at = instant(context.now());
  let isChanged = false;
  const done = await changeRun(store, run.id, (document) => {
    const next = rescored(document, judge(document), at);
    isChanged = next !== document;
    return ok(next);
  });
  return done.ok ? ok(isChanged) : done;
}
