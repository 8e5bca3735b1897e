import { fail, ok, type Result } from "../core/result.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { CAUSES, SETTLED } from "../record/words.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { momentFlag } from "./moment.ts";
import { ownSession } from "./own-session.ts";
import { answer, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const runAttempt: Command = {
  path: ["run", "attempt"],
  group: "Record",
  brief: "Record that a try of a piece begins, or with --end that it is over; prints its id",
  details:
    "A new attempt names the agent's session or its folder, so that its cost can be found when the run is finished.",
  args: [],
  flags: {
    run: { kind: "text", brief: "The run", placeholder: "RUN" },
    piece: { kind: "text", brief: "The piece that is tried", placeholder: "PIECE" },
    harness: {
      kind: "choice",
      brief: "The agent program (the piece's)",
      choices: ["claude-code", "codex", "command"],
    },
    model: { kind: "text", brief: "The model (the piece's)", placeholder: "MODEL" },
    effort: { kind: "text", brief: "The effort (the piece's)", placeholder: "WORD" },
    cwd: { kind: "text", brief: "Folder that it works in", placeholder: "DIR" },
    session: {
      kind: "text",
      brief: "The agent's session, or self inside Claude Code",
      placeholder: "ID|self",
    },
    round: { kind: "count", brief: "Round of work (1)", placeholder: "N" },
    cause: { kind: "choice", brief: "Why it is tried (initial)", choices: CAUSES },
    startedAt: { kind: "text", brief: "When it began (now)", placeholder: "TIME" },
    end: { kind: "text", brief: "The attempt that is over", placeholder: "ATT" },
    status: { kind: "choice", brief: "How it ended (done)", choices: SETTLED },
    endedAt: { kind: "text", brief: "When it ended (now)", placeholder: "TIME" },
  },
  output: answer("run-attempt", {
    run: text,
    attempt: text,
    "piece?": text,
    "session?": orNull(text),
    "round?": whole,
    "status?": text,
    "ended_at?": text,
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  if (flags.text("run") === undefined) return fail("bad-flag", "name the run with --run");
  return flags.text("end") === undefined ? begin(context, input) : settle(context, input);
}

async function begin(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { changeRun, whileOpen, withAttempt } = await import("../record/index.ts");
  const flags = readFlags(input);
  const piece = flags.text("piece");
  // The flag has moved the whole command there already.
  const cwd = flags.text("cwd") === undefined ? undefined : context.cwd;
  if (piece === undefined) return fail("bad-flag", "name the piece with --piece");
  if (cwd === undefined && flags.text("session") === undefined)
    return fail("bad-flag", "name the agent's --session, or the folder that it works in with --cwd");
  const startedAt = momentFlag(flags.text("startedAt"), "--started-at", context.now());
  if (!startedAt.ok) return startedAt;
  const session = await ownSession(context, flags.text("session"), flags.text("harness"));
  if (!session.ok) return session;
  const store = await context.writeStore();
  if (!store.ok) return store;
  const named = {
    harness: flags.text("harness"),
    model: flags.text("model"),
    effort: flags.text("effort"),
    cwd,
    session: session.value,
  };
  const given: Partial<Record<keyof typeof named, string>> = Object.fromEntries(
    Object.entries(named).filter(([, value]) => value !== undefined),
  );
  const round = Math.max(1, flags.count("round") ?? 1);
  const cause = CAUSES.find((one) => one === flags.text("cause")) ?? "initial";
  let attempt = "";
  const done = await changeRun(store.value, flags.text("run") ?? "", (document) => {
    const open = whileOpen(document);
    if (!open.ok) return open;
    const added = withAttempt(document, { ...given, piece, round, cause, startedAt: startedAt.value });
    if (!added.ok) return added;
    attempt = added.value.id;
    return ok(added.value.document);
  });
  if (!done.ok) return done;
  return answerOf(done.value.document, { attempt, piece, session: session.value ?? null, round });
}

async function settle(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { changeRun, settleAttempt, whileOpen } = await import("../record/index.ts");
  const flags = readFlags(input);
  const attempt = flags.text("end") ?? "";
  const status = SETTLED.find((one) => one === flags.text("status")) ?? "done";
  const endedAt = momentFlag(flags.text("endedAt"), "--ended-at", context.now());
  if (!endedAt.ok) return endedAt;
  const store = await context.writeStore();
  if (!store.ok) return store;
  const done = await changeRun(store.value, flags.text("run") ?? "", (document) => {
    const open = whileOpen(document);
    return open.ok ? settleAttempt(document, attempt, status, endedAt.value) : open;
  });
  return done.ok ? answerOf(done.value.document, { attempt, status, ended_at: endedAt.value }) : done;
}

function answerOf(
  document: OcpDocument,
  members: Readonly<Record<string, string | number | null>>,
): Result<CommandOutput> {
  return ok({
    exit: ExitCode.ok,
    json: { schema: "loopwright.run-attempt/1", ok: true, run: document.run.id, ...members },
  });
}
