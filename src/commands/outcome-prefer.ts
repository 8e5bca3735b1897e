import type { JsonObject } from "../core/canonical-json.ts";
import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpPreference } from "../formats/ocp/index.ts";
import type { Store } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

/** Records which run of a slate is the better one, in the document of each member. */
export async function preferOutcome(
  context: CommandContext,
  store: Store,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const { changeRun, withPreference } = await import("../record/index.ts");
  const flags = readFlags(input);
  const slate = flags.text("slate") ?? "";
  const rows = await store.runs({ slate });
  if (!rows.ok) return rows;
  if (rows.value.length === 0) return fail("no-such-run", `no run belongs to the slate ${slate}`);
  const members = rows.value.map(({ run }) => run).sort();
  const preference: OcpPreference = {
    id: makeId("preference", context.now(), context.entropy(10)),
    slate,
    winner: flags.text("prefer") ?? "tie",
    members,
    judge: { kind: flags.text("judge") ?? "referee", blinded: flags.is("blinded") },
    observed_at: instant(context.now()),
    tier: "reported",
  };
  const views: JsonObject[] = [];
  for (const run of members) {
    const done = await changeRun(store, run, (document) => withPreference(document, preference));
    if (!done.ok) return done;
    const { state, outcome } = done.value.row;
    views.push({ run, signal: null, state, outcome, reasons: [], rescored: false });
  }
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.outcome/1",
      ok: true,
      slate,
      preference: preference.id,
      winner: preference.winner,
      runs: views,
      notes: [],
    },
  });
}
