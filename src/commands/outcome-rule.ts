import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import type { Store } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { ruleNamed } from "./home-config.ts";
import { rescoreReceipt } from "./rescore.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

/** Judges runs by another rule, or by their own again. Nothing is changed when one of them is not there. */
export async function ruleOutcome(
  context: CommandContext,
  store: Store,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const { changeRun, judge, outcomeOf, readRun, withoutRule, withRule } = await import("../record/index.ts");
  const named = readFlags(input).text("rule");
  const rule = named === undefined ? ok(undefined) : await ruleNamed(context, named);
  if (!rule.ok) return rule;
  for (const run of input.args) {
    const known = await readRun(store, run);
    if (!known.ok) return known;
  }
  const views: JsonObject[] = [];
  for (const run of input.args) {
    const done = await changeRun(store, run, (document) =>
      ok(rule.value === undefined ? withoutRule(document) : withRule(document, rule.value)),
    );
    if (!done.ok) return done;
    const { document, row } = done.value;
    const rescored = await rescoreReceipt(context, store, document);
    if (!rescored.ok) return rescored;
    const { reasons } = judge(document);
    const told = { state: row.state, outcome: outcomeOf(document), reasons: [...reasons] };
    views.push({ run, signal: null, ...told, rescored: rescored.value });
  }
  return ok({
    exit: ExitCode.ok,
    json: { schema: "loopwright.outcome/1", ok: true, rule: named ?? null, runs: views, notes: [] },
  });
}
