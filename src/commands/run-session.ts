import { ok, type Result } from "../core/result.ts";
import type { PathChange } from "../ports/workspace.ts";
import type { Advanced } from "../run/advance.ts";
import { requestStop } from "../run/inbox.ts";
import type { RunOptions, RunPorts } from "../run/ports.ts";
import type { SessionRun } from "../run/session-run.ts";
import { RECEIPT, receiptOf } from "./receipt-view.ts";
import { resumeCommand } from "./resume-command.ts";
import { type JsonSchema, list, object, oneOf, orNull, text } from "./schema.ts";
import { exitOfReason, sessionView } from "./session-view.ts";
import type { CommandContext, CommandOutput } from "./types.ts";

/** What `go`, `loop start` and `loop resume` add to the view of the session that they ran. */
export const RUN_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  changed: list(object({ path: text, kind: oneOf("added", "modified", "deleted", "mode", "type") })),
  undo: text,
  resume: orNull(text),
  delivered: orNull(text),
  retry_at: orNull(text),
  receipt: RECEIPT,
};

/** Runs a session to its end with signals, questions and progress of this face. */
export async function runSession(
  context: CommandContext,
  ports: RunPorts,
  command: string,
  noWait: boolean,
  begin: (options: RunOptions) => Promise<Result<{ readonly run: SessionRun; readonly advanced: Advanced }>>,
): Promise<Result<CommandOutput>> {
  let current: SessionRun | undefined;
  const options: RunOptions = {
    waitWhenParked: !noWait,
    ...(context.progress === undefined ? {} : { onProgress: context.progress }),
    ...(context.confirm === undefined ? {} : { confirm: context.confirm }),
    onOpen: (run) => {
      current = run;
    },
  };
  const stopListening = context.onInterrupt((signal, times) => {
    if (current !== undefined)
      void requestStop(current, times > 1 ? "force" : "boundary", signal).catch(() => undefined);
  });
  try {
    const finished = await begin(options);
    if (!finished.ok) return finished;
    const { run, advanced } = finished.value;
    if ("lost" in advanced) return { ok: false, problem: advanced.lost };
    const { reason } = advanced.end;
    if (reason.why === "problem") {
      const hint = reason.problem.hint ?? "see `loopwright status --why`";
      return { ok: false, problem: { ...reason.problem, hint: `${hint} (session ${run.session})` } };
    }
    return ok(await outputOf(context, ports, command, run, advanced));
  } finally {
    stopListening();
  }
}

async function outputOf(
  context: CommandContext,
  ports: RunPorts,
  command: string,
  run: SessionRun,
  advanced: Extract<Advanced, { readonly end: unknown }>,
): Promise<CommandOutput> {
  const { state } = run;
  const { reason } = advanced.end;
  const summary = await ports.store.session(run.session);
  const number = summary.ok ? (summary.value?.number ?? 0) : 0;
  const changed = await changesOf(run);
  const isOver = reason.why === "goal-satisfied" || reason.why === "already-satisfied";
  return {
    exit: exitOfReason(reason),
    json: {
      schema: `loopwright.${command}/1`,
      ok: true,
      ...sessionView({ session: run.session, number }, state, context.now()),
      changed: changed.map(({ path, kind }) => ({ path, kind })),
      undo: `loopwright loop restore ${run.session} --to start`,
      resume: isOver ? null : resumeCommand(run.session, state),
      delivered: state.delivered === undefined ? null : `${state.delivered.kind} ${state.delivered.commit}`,
      retry_at: reason.why === "parked" ? reason.retryAt : null,
      receipt:
        state.lifecycle === "closed" && state.record !== undefined
          ? await receiptOf(context, ports.store, state.record.run)
          : null,
    },
  };
}

async function changesOf(run: SessionRun): Promise<readonly PathChange[]> {
  const { spec, currentTree } = run.state;
  const diff = await run.workspace.diff(spec.gate.base, currentTree);
  return diff.ok ? diff.value : [];
}
