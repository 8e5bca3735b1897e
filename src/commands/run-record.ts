import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import type { Store } from "../ports/store.ts";
import type { SessionToMap } from "../record/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { HARNESS_FLAG, harnessFor } from "./harness-record.ts";
import { readMoment } from "./moment.ts";
import { RECEIPT, receiptOf } from "./receipt-view.ts";
import { FINISHED, findCosts, finishedView } from "./run-finish.ts";
import { type PlannedRun, planRun, START_FLAGS } from "./run-plan.ts";
import { sessionsMeant, withCommits, withSessions, withVerdicts } from "./run-record-parts.ts";
import { tellSlate } from "./run-start.ts";
import { answer, list, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const runRecord: Command = {
  path: ["run", "record"],
  group: "Record",
  brief: "Record work that is over in one call: its sessions, commits and verdicts",
  details:
    "Everything is looked up before the first write. Sessions that name no piece are matched by model, harness and order.",
  args: [],
  flags: {
    ...START_FLAGS,
    run: { kind: "text", brief: "Finish this run instead of beginning one", placeholder: "RUN" },
    session: {
      kind: "text",
      brief: "A session of it, or self; repeatable",
      placeholder: "[PIECE=]ID",
      repeatable: true,
    },
    worked: {
      kind: "text",
      brief: "A folder whose sessions in the window belong to it; repeatable",
      placeholder: "[PIECE=]DIR",
      repeatable: true,
    },
    since: { kind: "text", brief: "Begin of the window", placeholder: "TIME" },
    until: { kind: "text", brief: "End of the window (now)", placeholder: "TIME" },
    verified: {
      kind: "text",
      brief: "A verdict that was checked mechanically; repeatable",
      placeholder: "NAME=VALUE",
      repeatable: true,
    },
    reported: {
      kind: "text",
      brief: "A verdict that somebody reports; repeatable",
      placeholder: "NAME=VALUE",
      repeatable: true,
    },
    score: {
      kind: "text",
      brief: "A measured score; repeatable",
      placeholder: "NAME=VALUE",
      repeatable: true,
    },
    commit: {
      kind: "text",
      brief: "A commit of it; repeatable (found in the history)",
      placeholder: "SHA",
      repeatable: true,
    },
    noCommits: { kind: "boolean", brief: "Look for no commits" },
    harness: HARNESS_FLAG,
    noFit: { kind: "boolean", brief: "Learn nothing from it now, and write no receipt" },
  },
  output: answer("run-record", {
    run: text,
    attempts: list(
      object({ attempt: text, piece: text, session: text, model: orNull(text), how: text, round: whole }),
    ),
    commits: list(text),
    ...FINISHED,
    receipt: RECEIPT,
    notes: list(text),
  }),
  run,
};

const START_ONLY = Object.keys(START_FLAGS);

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const refused = refusal(context, input);
  if (refused !== undefined) return refused;
  const store = await context.writeStore();
  if (!store.ok) return store;
  const drafted = await draft(context, store.value, input);
  if (!drafted.ok) return drafted;
  const { finishDocument, withHarness } = await import("../record/index.ts");
  const shaped = await harnessFor(context, drafted.value.document, readFlags(input).text("harness"));
  if (!shaped.ok) return shaped;
  const document = withHarness(drafted.value.document, shaped.value);
  const matched = await findCosts(context, document);
  if (!matched.ok) return matched;
  const finished = finishDocument(document, matched.value.costs, instant(context.now()));
  if (!finished.ok) return finished;
  const written = await write(store.value, drafted.value, finished.value);
  if (!written.ok) return written;
  for (const note of drafted.value.notes) context.talk(`note: ${note}`);
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.run-record/1",
      ok: true,
      run: finished.value.run.id,
      attempts: drafted.value.attempts.map((one) => ({ ...one })),
      commits: [...drafted.value.commits],
      ...(await finishedView(finished.value, matched.value)),
      receipt: readFlags(input).is("noFit")
        ? null
        : await receiptOf(context, store.value, finished.value.run.id),
      notes: [...drafted.value.notes],
    },
  });
}

function refusal(context: CommandContext, input: CommandInput): Result<never> | undefined {
  const flags = readFlags(input);
  if (context.insideAttempt && flags.texts("verified").length > 0)
    return fail("person-only", "an attempt cannot record an outcome of the tier verified");
  if (flags.is("noCommits") && flags.texts("commit").length > 0)
    return fail("bad-flag", "--commit and --no-commits exclude each other");
  const known = flags.text("run") !== undefined;
  const ignored = START_ONLY.find((name) => input.flags[name] !== undefined);
  if (known && ignored !== undefined)
    return fail("bad-flag", `with --run the run has its ${ignored} already`, { hint: "leave the flag out" });
  const names = flags.texts("session").length + flags.texts("worked").length;
  return known || names > 0
    ? undefined
    : fail("bad-flag", "name its sessions with --session or --worked", {
        hint: "see `loopwright run sessions`",
      });
}

interface Draft {
  readonly document: OcpDocument;
  readonly origin: PlannedRun | { readonly revision: number };
  readonly attempts: readonly JsonObject[];
  readonly commits: readonly string[];
  readonly notes: readonly string[];
}

/** The run as it will be, before it is closed. Writes nothing. */
async function draft(context: CommandContext, store: Store, input: CommandInput): Promise<Result<Draft>> {
  const sessions = await sessionsMeant(context, input);
  if (!sessions.ok) return sessions;
  const base = await baseOf(context, store, input, sessions.value);
  if (!base.ok) return base;
  const tried = await withSessions(base.value.document, sessions.value);
  if (!tried.ok) return tried;
  const committed = await withCommits(context, input, tried.value.document, sessions.value);
  if (!committed.ok) return committed;
  const judged = await withVerdicts(context, input, committed.value.document);
  if (!judged.ok) return judged;
  return ok({
    document: judged.value,
    origin: base.value.origin,
    attempts: tried.value.attempts,
    commits: committed.value.commits,
    notes: committed.value.notes,
  });
}

async function baseOf(
  context: CommandContext,
  store: Store,
  input: CommandInput,
  sessions: readonly SessionToMap[],
): Promise<Result<Pick<Draft, "document" | "origin">>> {
  const { readRun, startDocument, whileOpen } = await import("../record/index.ts");
  const named = readFlags(input).text("run");
  const since = readMoment(readFlags(input).text("since"), context.now());
  if (!since.ok) return since;
  if (named !== undefined) {
    const stored = await store.run(named);
    if (!stored.ok) return stored;
    const known = await readRun(store, named);
    if (!known.ok) return known;
    const open = whileOpen(known.value.document);
    if (!open.ok) return open;
    const revision = stored.value?.revision ?? 0;
    const { document } = known.value;
    const isEarlier = since.value !== undefined && since.value < (document.run.started_at ?? since.value);
    const moved = isEarlier ? { ...document, run: { ...document.run, started_at: since.value } } : document;
    return ok({ document: moved, origin: { revision } });
  }
  const starts = [since.value, ...sessions.map(({ startedAt }) => startedAt)].flatMap((at) => at ?? []);
  const first = starts.sort()[0];
  const planned = await planRun(
    context,
    store,
    input,
    first === undefined ? context.now() : Date.parse(first),
  );
  return planned.ok ? ok({ document: startDocument(planned.value.start), origin: planned.value }) : planned;
}

async function write(store: Store, { origin }: Draft, document: OcpDocument): Promise<Result<unknown>> {
  const { putDocument } = await import("../record/index.ts");
  const seenAt = document.run.started_at ?? "";
  if ("revision" in origin)
    return putDocument(store, document, { origin: "recorded", seenAt, expected: origin.revision });
  const told = await tellSlate(store, origin.siblings, origin.start.slate);
  return told.ok ? putDocument(store, document, { origin: "recorded", seenAt, expected: 0 }) : told;
}
