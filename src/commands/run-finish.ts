import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import type { Matched } from "../record/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { HARNESS_FLAG, harnessFor } from "./harness-record.ts";
import { RECEIPT, receiptOf } from "./receipt-view.ts";
import { answer, list, number, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

/** What every answer about a finished run says of its cost and its judgement. */
export const FINISHED = {
  matched: object({
    verified: whole,
    heuristic: whole,
    unmatched: list(object({ attempt: text, reason: text })),
  }),
  shared: list(object({ session: text, attempts: list(text), split: text })),
  cost: object({ usd: orNull(number), usd_known: number, tokens: orNull(whole), attempts_not_costed: whole }),
  outcome: text,
  evidence: object({
    z: orNull(whole),
    tier: text,
    rule: text,
    reasons: list(text),
    scores: { type: "object", additionalProperties: number },
  }),
};

export const runFinish: Command = {
  path: ["run", "finish"],
  group: "Record",
  brief: "Close a recorded run: find what its attempts cost in the agents' logs, and judge it",
  details:
    "Attempts that never ended are settled as unverified. A cost that cannot be found is unknown, never zero.",
  args: [],
  flags: {
    run: { kind: "text", brief: "The run", placeholder: "RUN" },
    harness: HARNESS_FLAG,
    noFit: { kind: "boolean", brief: "Learn nothing from it now, and write no receipt" },
  },
  output: answer("run-finish", { run: text, ...FINISHED, receipt: RECEIPT }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { changeRun, finishDocument, readRun, whileOpen, withHarness } = await import("../record/index.ts");
  const flags = readFlags(input);
  const run = flags.text("run");
  if (run === undefined) return fail("bad-flag", "name the run with --run");
  const store = await context.writeStore();
  if (!store.ok) return store;
  const known = await readRun(store.value, run);
  if (!known.ok) return known;
  const open = whileOpen(known.value.document);
  if (!open.ok) return open;
  const now = instant(context.now());
  const shaped = await harnessFor(context, known.value.document, flags.text("harness"));
  if (!shaped.ok) return shaped;
  const matched = await findCosts(context, known.value.document);
  if (!matched.ok) return matched;
  const done = await changeRun(store.value, run, (document) =>
    finishDocument(withHarness(document, shaped.value), matched.value.costs, now),
  );
  if (!done.ok) return done;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.run-finish/1",
      ok: true,
      run,
      ...(await finishedView(done.value.document, matched.value)),
      receipt: readFlags(input).is("noFit") ? null : await receiptOf(context, store.value, run),
    },
  });
}

/** The logs are read only when an attempt's cost is not known yet. */
export async function findCosts(context: CommandContext, document: OcpDocument): Promise<Result<Matched>> {
  const { matchCosts } = await import("../record/index.ts");
  const isOpen = (document.attempts ?? []).some(
    ({ cost, harness }) => cost === undefined && harness !== "command",
  );
  if (!isOpen) return ok({ costs: new Map(), verified: 0, heuristic: 0, unmatched: [], shared: [] });
  const usage = await context.usage();
  if (!usage.ok) return usage;
  const { reader, prices, sessions } = usage.value;
  let seen: ReturnType<typeof sessions> | undefined;
  const logs = {
    prices,
    spendOf: (request: Parameters<typeof reader.ofSession>[0]) => reader.ofSession(request),
    sessions: () => {
      seen ??= sessions();
      return seen;
    },
  };
  return ok(await matchCosts(document, logs, instant(context.now())));
}

export async function finishedView(document: OcpDocument, matched: Matched): Promise<JsonObject> {
  const { judge, outcomeOf, runCost } = await import("../record/index.ts");
  const { z, tier, rule, reasons, scores } = judge(document);
  const cost = runCost(document);
  return {
    matched: {
      verified: matched.verified,
      heuristic: matched.heuristic,
      unmatched: matched.unmatched.map((one) => ({ ...one })),
    },
    shared: matched.shared.map(({ session, attempts }) => ({
      session,
      attempts: [...attempts],
      split: "equal",
    })),
    cost: {
      usd: cost.usd,
      usd_known: cost.usdKnown,
      tokens: cost.tokens,
      attempts_not_costed: cost.notCosted,
    },
    outcome: outcomeOf(document),
    evidence: { z, tier, rule: rule.name, reasons: [...reasons], scores: { ...scores } },
  };
}
