import type { Json, JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { RunList, RunRow, Store } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { readMoment } from "./moment.ts";
import { RECONCILED, reconcile } from "./reconcile.ts";
import { answer, anything, list, number, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const ROW = object({
  run: text,
  session: orNull(text),
  title: text,
  state: text,
  origin: text,
  started_at: text,
  ended_at: orNull(text),
  outcome: text,
  configuration: orNull(text),
  source: orNull(text),
  task: orNull(text),
  type: orNull(text),
  repo: orNull(text),
  slate: orNull(text),
  attempts: whole,
  cost_usd: orNull(number),
  known_cost_usd: number,
  cost_basis: orNull(text),
  unknown_costs: whole,
  "document?": anything,
  "reconciled?": RECONCILED,
});

export const runs: Command = {
  path: ["runs"],
  group: "View",
  brief: "The recorded runs, newest first; with RUN its document",
  args: [{ name: "run", brief: "Show this run's whole document", required: false }],
  flags: {
    limit: { kind: "count", brief: "At most this many (20)", placeholder: "N" },
    sort: {
      kind: "choice",
      brief: "Largest first by this (started)",
      choices: ["started", "ended", "cost", "attempts"],
    },
    outcome: { kind: "choice", brief: "Only these", choices: ["accepted", "rejected", "unknown"] },
    state: { kind: "choice", brief: "Only these", choices: ["open", "finished"] },
    since: { kind: "text", brief: "Started at or after: 90d, 12w, 36h or a date", placeholder: "TIME" },
    until: { kind: "text", brief: "Started before", placeholder: "TIME" },
    type: { kind: "text", brief: "Only tasks of this type", placeholder: "TYPE" },
    repo: { kind: "text", brief: "Only of this repository", placeholder: "REPO" },
    task: { kind: "text", brief: "Only runs of this task", placeholder: "TASK" },
    config: { kind: "text", brief: "Only of this configuration", placeholder: "CFG" },
    source: { kind: "text", brief: "Only chosen for this reason, such as usual", placeholder: "WORD" },
    slate: { kind: "text", brief: "Only runs of this slate", placeholder: "SLATE" },
    label: { kind: "text", brief: "Only with this label", placeholder: "NAME=VALUE" },
    commit: { kind: "text", brief: "Only runs that made this commit", placeholder: "SHA" },
    documents: { kind: "boolean", brief: "With the whole document of each" },
    stream: { kind: "boolean", brief: "One JSON object a line, as many as there are" },
  },
  output: answer("runs", { runs: list(ROW), reviewable: list(text) }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const store = await context.readStore();
  if (!store.ok) return store;
  const [wanted] = input.args;
  const flags = readFlags(input);
  const filter = filterOf(context, input);
  if (!filter.ok) return filter;
  if (wanted !== undefined) return oneRun(context, store.value, wanted);
  const withDocuments = flags.is("documents");
  if (store.value === undefined) return ok(flags.is("stream") ? streamed() : answerOf([]));
  if (flags.is("stream")) return stream(context, store.value, filter.value, withDocuments);
  const commit = flags.text("commit");
  const rows =
    commit === undefined
      ? await store.value.runs({ limit: 20, ...filter.value })
      : await store.value.runsOfCommit(commit);
  if (!rows.ok) return rows;
  const views: JsonObject[] = [];
  for (const row of rows.value) {
    const view = await viewOf(store.value, row, withDocuments);
    if (!view.ok) return view;
    views.push(view.value);
  }
  const reviewable = await reviewableOf(store.value, rows.value);
  return reviewable.ok ? ok(answerOf(views, reviewable.value)) : reviewable;
}

function answerOf(views: readonly JsonObject[], reviewable: readonly string[] = []): CommandOutput {
  return {
    exit: ExitCode.ok,
    json: { schema: "loopwright.runs/1", ok: true, runs: views, reviewable: [...reviewable] },
  };
}

/** Finished runs without an outcome that the rule `review` would decide. */
async function reviewableOf(store: Store, rows: readonly RunRow[]): Promise<Result<readonly string[]>> {
  const found: string[] = [];
  for (const { run: id } of rows.filter(
    ({ state, outcome }) => state === "finished" && outcome === "unknown",
  )) {
    const { canReviewSettle, readRun } = await import("../record/index.ts");
    const known = await readRun(store, id);
    if (!known.ok) return known;
    if (canReviewSettle(known.value.document)) found.push(id);
  }
  return ok(found);
}

async function oneRun(
  context: CommandContext,
  store: Store | undefined,
  wanted: string,
): Promise<Result<CommandOutput>> {
  const found = store === undefined ? ok(undefined) : await store.run(wanted);
  if (!found.ok) return found;
  if (found.value === undefined)
    return fail("no-such-run", `there is no run ${wanted}`, { hint: "list them with `loopwright runs`" });
  const { row, document } = found.value;
  const parsed: Json = JSON.parse(document);
  const usage = await context.usage();
  if (!usage.ok) return usage;
  const reconciled = await reconcile(usage.value, parsed);
  return ok(answerOf([{ ...rowView(row), document: parsed, reconciled }]));
}

/** Every page is printed before the next one is read, so that memory does not grow with the store. */
async function stream(
  context: CommandContext,
  store: Store,
  filter: RunList,
  withDocuments: boolean,
): Promise<Result<CommandOutput>> {
  const { order: _, limit = Number.POSITIVE_INFINITY, ...wanted } = filter;
  let left = limit;
  for (let after: RunRow | undefined; left > 0; ) {
    const page = await store.runs({
      ...wanted,
      limit: Math.min(PAGE, left),
      ...(after !== undefined && { after }),
    });
    if (!page.ok) return page;
    for (const row of page.value) {
      const view = await viewOf(store, row, withDocuments);
      if (!view.ok) return view;
      context.emit("run", view.value);
    }
    left -= page.value.length;
    after = page.value.at(-1);
    if (page.value.length < PAGE) break;
  }
  return ok(streamed());
}

const PAGE = 500;

function streamed(): CommandOutput {
  return { ...answerOf([]), streamed: true };
}

async function viewOf(store: Store, row: RunRow, withDocument: boolean): Promise<Result<JsonObject>> {
  if (!withDocument) return ok(rowView(row));
  const document = await store.runDocument(row.run);
  if (!document.ok) return document;
  return ok({ ...rowView(row), document: JSON.parse(document.value ?? "null") });
}

function filterOf(context: CommandContext, input: CommandInput): Result<RunList> {
  const flags = readFlags(input);
  const since = readMoment(flags.text("since"), context.now());
  if (!since.ok) return since;
  const until = readMoment(flags.text("until"), context.now());
  if (!until.ok) return until;
  const sort = flags.text("sort");
  const order = ORDERS.find((one) => one === sort);
  if (flags.is("stream") && order !== undefined && order !== "started")
    return fail("bad-flag", "--stream lists by the time of start only");
  const state = STATES.find((one) => one === flags.text("state"));
  const given = {
    limit: flags.count("limit"),
    order,
    state,
    outcome: flags.text("outcome"),
    since: since.value,
    until: until.value,
    taskType: flags.text("type"),
    repo: flags.text("repo"),
    task: flags.text("task"),
    configuration: flags.text("config"),
    source: flags.text("source"),
    slate: flags.text("slate"),
    label: flags.text("label"),
  };
  return ok(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
}

const ORDERS = ["started", "ended", "cost", "attempts"] as const;
const STATES = ["open", "finished"] as const;

/** Null unless every attempt is priced; the known part stands beside it. */
function rowView(row: RunRow): JsonObject {
  return {
    run: row.run,
    session: row.session ?? null,
    title: row.title,
    state: row.state,
    origin: row.origin,
    started_at: row.startedAt,
    ended_at: row.endedAt ?? null,
    outcome: row.outcome,
    configuration: row.configuration ?? null,
    source: row.source ?? null,
    task: row.task ?? null,
    type: row.taskType ?? null,
    repo: row.repo ?? null,
    slate: row.slate ?? null,
    attempts: row.attempts,
    cost_usd: row.unknownCosts > 0 ? null : row.costMicroUsd / 1e6,
    known_cost_usd: row.costMicroUsd / 1e6,
    cost_basis: row.costBasis ?? null,
    unknown_costs: row.unknownCosts,
  };
}
