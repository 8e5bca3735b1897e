import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import type { OcpSetting } from "../formats/ocp/index.ts";
import type { Store } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { type PlannedRun, planRun, START_FLAGS } from "./run-plan.ts";
import { answer, list, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const PIECE = object({
  piece: text,
  role: orNull(text),
  width: whole,
  harness: orNull(text),
  model: orNull(text),
  effort: orNull(text),
});

export const runStart: Command = {
  path: ["run", "start"],
  group: "Record",
  brief: "Begin to record a run of work that you run yourself; prints its id",
  details: "It records only: to have the work run, use `loopwright loop start` or `loopwright go`.",
  args: [],
  flags: START_FLAGS,
  output: answer("run-start", {
    run: text,
    config: orNull(text),
    task: text,
    rule: text,
    source: text,
    slate: orNull(text),
    pieces: list(PIECE),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const store = await context.writeStore();
  if (!store.ok) return store;
  const planned = await planRun(context, store.value, input);
  if (!planned.ok) return planned;
  const written = await begin(store.value, planned.value);
  if (!written.ok) return written;
  const { start } = planned.value;
  context.talk("this only records the work; to have it run: loopwright loop start");
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.run-start/1",
      ok: true,
      run: start.run,
      config: start.configuration.id ?? null,
      task: start.task.id,
      rule: start.rule.name,
      source: start.configuration.source ?? "designed",
      slate: start.slate?.id ?? null,
      pieces: start.workflow.pieces.map(({ id, role, width }) =>
        pieceView(id, role, width, start.configuration.settings?.[id]),
      ),
    },
  });
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
