import type { JsonObject } from "../core/canonical-json.ts";
import { parseId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { RunRow, Store } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { answer, anything, list, number, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const ROW = object({
  run: text,
  session: orNull(text),
  title: text,
  started_at: text,
  ended_at: orNull(text),
  outcome: text,
  attempts: whole,
  cost_usd: orNull(number),
  cost_basis: orNull(text),
  unknown_costs: whole,
  "document?": anything,
});

export const runs: Command = {
  path: ["runs"],
  group: "View",
  brief: "The recorded runs, newest first; with RUN its document",
  args: [{ name: "run", brief: "Show this run's whole document", required: false }],
  flags: {
    limit: { kind: "count", brief: "At most this many (20)", placeholder: "N" },
    outcome: { kind: "choice", brief: "Only these", choices: ["accepted", "rejected", "unknown"] },
    since: { kind: "text", brief: "Only runs started at or after this moment", placeholder: "TIME" },
    documents: { kind: "boolean", brief: "With the whole document of each" },
  },
  output: answer("runs", { runs: list(ROW) }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const store = await context.readStore();
  if (!store.ok) return store;
  const flags = readFlags(input);
  const wanted = input.args[0];
  const rows = store.value === undefined ? ok([]) : await listed(store.value, input);
  if (!rows.ok) return rows;
  const chosen = wanted === undefined ? rows.value : rows.value.filter((row) => row.run === wanted);
  if (wanted !== undefined && chosen.length === 0) {
    return fail("no-such-run", `there is no run ${wanted}`, { hint: "list them with `loopwright runs`" });
  }
  const withDocuments = flags.is("documents") || wanted !== undefined;
  const views: JsonObject[] = [];
  for (const row of chosen) {
    const document = withDocuments ? await store.value?.runDocument(row.run) : undefined;
    if (document?.ok === false) return document;
    views.push({
      ...rowView(row),
      ...(document?.value === undefined ? {} : { document: JSON.parse(document.value) }),
    });
  }
  return ok({ exit: ExitCode.ok, json: { schema: "loopwright.runs/1", ok: true, runs: views } });
}

function listed(store: Store, input: CommandInput): Promise<Result<readonly RunRow[]>> {
  const flags = readFlags(input);
  const outcome = flags.text("outcome");
  const since = flags.text("since");
  const isNamed = input.args[0] !== undefined && parseId("run", input.args[0]) !== undefined;
  return store.runs({
    limit: isNamed ? 1_000_000 : (flags.count("limit") ?? 20),
    ...(outcome === undefined ? {} : { outcome }),
    ...(since === undefined ? {} : { since }),
  });
}

function rowView(row: RunRow): JsonObject {
  return {
    run: row.run,
    session: row.session ?? null,
    title: row.title,
    started_at: row.startedAt,
    ended_at: row.endedAt ?? null,
    outcome: row.outcome,
    attempts: row.attempts,
    cost_usd: row.costBasis === undefined && row.unknownCosts > 0 ? null : row.costMicroUsd / 1e6,
    cost_basis: row.costBasis ?? null,
    unknown_costs: row.unknownCosts,
  };
}
