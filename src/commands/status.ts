import type { JsonObject } from "../core/canonical-json.ts";
import type { SessionId } from "../core/ids.ts";
import { ok, type Result } from "../core/result.ts";
import type { Store } from "../ports/store.ts";
import type { SessionState } from "../run/state.ts";
import { ExitCode } from "./exit-codes.ts";
import { findSession, SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { isLive } from "./live.ts";
import { LIVE_SPEND } from "./live-spend-schema.ts";
import { resumeCommand } from "./resume-command.ts";
import { answer, either, flag, nothing, orNull, text } from "./schema.ts";
import { sessionAnswer, sessionView } from "./session-view.ts";
import { LEARNING } from "./status-learning-schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const status: Command = {
  path: ["status"],
  group: "Loops",
  brief: "Where a session stands and what it needs from you",
  args: [],
  flags: {
    session: SESSION_FLAG,
    why: { kind: "boolean", brief: "With the last lines of the checks that fail" },
    learning: {
      kind: "boolean",
      brief:
        "With what this run teaches, how forecasts held, the experiment under way and the pace of the budget",
    },
  },
  output: either(
    sessionAnswer("status", {
      needs: orNull(text),
      answer_with: orNull(text),
      live: flag,
      spending: orNull(LIVE_SPEND),
      learning: orNull(LEARNING),
    }),
    answer("status", { session: nothing, learning: LEARNING }),
  ),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const store = await context.readStore();
  if (!store.ok) return store;
  const flags = readFlags(input);
  const found = await findSession(context, store.value, flags.text("session"), true);
  if (!found.ok) {
    const isOnlyMissing = found.problem.code === "no-such-session" && flags.text("session") === undefined;
    return flags.is("learning") && isOnlyMissing ? learningAlone(context, store.value) : found;
  }
  const { summary, state } = found.value;
  const lease = await store.value?.lease(summary.session);
  const live = await isLive(context, lease);
  const view = sessionView(summary, state, live ? context.now() : Date.parse(state.updatedAt));
  const needs = needOf(state, live, summary.session);
  const checks = flags.is("why") ? view.checks : view.checks.map((check) => ({ ...check, tail: null }));
  const learning = flags.is("learning") ? await learningOf(context, store.value, state) : ok(null);
  if (!learning.ok) return learning;
  const spending = live ? await spendingOf(context, store.value, state) : ok(null);
  if (!spending.ok) return spending;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.status/1",
      ok: true,
      ...view,
      checks,
      needs: needs?.what ?? null,
      answer_with: needs?.command ?? null,
      live,
      spending: spending.value,
      learning: learning.value,
    },
  });
}

/** What is learned does not hang on a session: where there is none, it stands alone. */
async function learningAlone(
  context: CommandContext,
  store: Store | undefined,
): Promise<Result<CommandOutput>> {
  const learning = await learningOf(context, store, undefined);
  if (!learning.ok) return learning;
  return ok({
    exit: ExitCode.ok,
    json: { schema: "loopwright.status/1", ok: true, session: null, learning: learning.value },
  });
}

/** Loaded only where a flag asks for it. */
async function learningOf(
  context: CommandContext,
  store: Store | undefined,
  state: SessionState | undefined,
): Promise<Result<JsonObject>> {
  const { learningStanding } = await import("./status-learning.ts");
  return learningStanding(context, store, state);
}

/** What the attempts spend that run now; nothing is loaded for it while none does. */
async function spendingOf(
  context: CommandContext,
  store: Store | undefined,
  state: SessionState,
): Promise<Result<JsonObject | null>> {
  if (!state.attempts.some(({ phase }) => phase === "spawned")) return ok(null);
  const { liveSpend, runningWork } = await import("./live-spend.ts");
  const { work, unknown } = await runningWork(context, state);
  if (work.length === 0) return ok(null);
  const usage = await context.usage();
  if (!usage.ok) return usage;
  const { reader } = usage.value;
  const ceiling = state.limits.maxMicroUsd;
  const left = ceiling === undefined ? await leftOfBudget(context, store) : ceiling - state.cost.microUsd;
  const name = ceiling === undefined ? "budget" : "ceiling";
  const limit = left === undefined ? undefined : ({ name, leftMicroUsd: left } as const);
  return ok(await liveSpend(work, unknown, reader, limit, context.now()));
}

async function leftOfBudget(context: CommandContext, store: Store | undefined): Promise<number | undefined> {
  const { budgetLeft } = await import("./budget.ts");
  return budgetLeft(context, store);
}

/** The first thing that only a person can do, and the command that does it. */
function needOf(
  state: SessionState,
  live: boolean,
  session: SessionId,
): { readonly what: string; readonly command: string } | undefined {
  if (state.question !== undefined) {
    return { what: state.question.question, command: `loopwright loop approve --session ${session}` };
  }
  if (state.lifecycle === "closed" && state.outcome !== "succeeded") {
    const reason = state.stopped?.why === "problem" ? (state.stopped.problem.hint ?? "") : "";
    return {
      what: `stopped before the goal${reason === "" ? "" : ` (${reason})`}`,
      command: resumeCommand(session, state),
    };
  }
  if (state.lifecycle !== "closed" && !live) {
    return {
      what: "nobody is running this session now",
      command: resumeCommand(session, state),
    };
  }
  return undefined;
}
