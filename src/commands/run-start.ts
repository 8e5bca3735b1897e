import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { OcpSetting } from "../formats/ocp/index.ts";
import { RECEIPT_EXT } from "../formats/recommendation/receipt-ext.ts";
import type { Store } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { followedBy } from "./followed.ts";
import { type PlannedRun, planRun, START_FLAGS } from "./run-plan.ts";
import { answer, flag, list, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const PIECE = object({
  piece: text,
  role: orNull(text),
  width: whole,
  harness: orNull(text),
  model: orNull(text),
  effort: orNull(text),
});

const RUN = {
  run: text,
  config: orNull(text),
  task: text,
  rule: text,
  source: text,
  slate: orNull(text),
  /** Whether a forecast is kept with it. */
  forecast: flag,
  pieces: list(PIECE),
};

export const runStart: Command = {
  path: ["run", "start"],
  group: "Record",
  brief: "Begin to record a run of work that you run yourself; prints its id",
  details: "It records only: to have the work run, use `loopwright loop start` or `loopwright go`.",
  args: [],
  flags: START_FLAGS,
  output: answer("run-start", {
    ...RUN,
    choice: orNull(text),
    rec: orNull(text),
    runs: list(object(RUN)),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const store = await context.writeStore();
  if (!store.ok) return store;
  const planned = await plannedRuns(context, store.value, input);
  if (!planned.ok) return planned;
  for (const one of planned.value) {
    const written = await begin(store.value, one);
    if (!written.ok) return written;
  }
  context.talk("this only records the work; to have it run: loopwright loop start");
  const [first] = planned.value;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.run-start/1",
      ok: true,
      ...runView(first),
      choice: readFlags(input).text("choice") ?? null,
      rec: first.start.configuration.rec ?? null,
      runs: planned.value.map(runView),
    },
  });
}

type OneOrMore = readonly [PlannedRun, ...PlannedRun[]];

/** One run, or both of a pair: then on one task from one commit in a slate of their own. */
async function plannedRuns(
  context: CommandContext,
  store: Store,
  input: CommandInput,
): Promise<Result<OneOrMore>> {
  const followed = await followedBy(store, input);
  if (!followed.ok) return followed;
  const isPair = (followed.value?.option?.members.length ?? 1) > 1;
  if (isPair && input.flags["slate"] !== undefined)
    return fail("bad-flag", "a pair opens a slate of its own");
  const flags = isPair ? { ...input.flags, newSlate: true } : input.flags;
  const first = await planRun(context, store, { ...input, flags }, undefined, 0);
  if (!first.ok || !isPair) return first.ok ? ok([first.value]) : first;
  const second = await planRun(context, store, { ...input, flags }, undefined, 1);
  if (!second.ok) return second;
  const members = [first.value.start.run, second.value.start.run];
  const base = first.value.start.slate;
  if (base === undefined) return ok([first.value, second.value]);
  const together = ({ start, siblings }: PlannedRun): PlannedRun => ({
    siblings,
    start: { ...start, task: first.value.start.task, slate: { ...base, members, isolated: true } },
  });
  return ok([together(first.value), together(second.value)]);
}

function runView({ start }: PlannedRun): JsonObject {
  const receipt = start.ext?.[RECEIPT_EXT];
  return {
    run: start.run,
    config: start.configuration.id ?? null,
    task: start.task.id,
    rule: start.rule.name,
    source: start.configuration.source ?? "designed",
    slate: start.slate?.id ?? null,
    forecast: receipt !== undefined,
    pieces: start.workflow.pieces.map(({ id, role, width }) =>
      pieceView(id, role, width, start.configuration.settings?.[id]),
    ),
  };
}

function pieceView(
  piece: string,
  role: string | undefined,
  width = 1,
  setting: OcpSetting | undefined,
): JsonObject {
  return {
    piece,
    role: role ?? null,
    width,
    harness: setting?.harness ?? null,
    model: setting?.model?.id ?? null,
    effort: setting?.effort ?? null,
  };
}

/** Stores the new run; the other runs of its slate learn of it first. */
async function begin(store: Store, { start, siblings }: PlannedRun): Promise<Result<unknown>> {
  const { putDocument, startDocument } = await import("../record/index.ts");
  const joined = await tellSlate(store, siblings, start.slate);
  if (!joined.ok) return joined;
  return putDocument(store, startDocument(start), { origin: "recorded", seenAt: start.at, expected: 0 });
}

export async function tellSlate(
  store: Store,
  siblings: PlannedRun["siblings"],
  slate: PlannedRun["start"]["slate"],
): Promise<Result<void>> {
  const { changeRun } = await import("../record/index.ts");
  for (const { row } of slate === undefined ? [] : siblings) {
    const told = await changeRun(store, row.run, (document) => {
      const members = [...new Set([...(document.run.slate?.members ?? []), ...(slate?.members ?? [])])];
      return ok({
        ...document,
        run: { ...document.run, slate: { ...(document.run.slate ?? { id: slate?.id ?? "" }), members } },
      });
    });
    if (!told.ok) return told;
  }
  return ok(undefined);
}
