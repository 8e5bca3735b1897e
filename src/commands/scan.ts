import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import { spendBy, totalSpend } from "../logs/spend.ts";
import type { SessionSummary } from "../logs/summary.ts";
import type { SummaryScan } from "../logs/summary-scan.ts";
import { budgetLeft } from "./budget.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOG_FLAGS, scanFor } from "./log-scan.ts";
import { watchLogs } from "./scan-watch.ts";
import { answer, list, object, orNull, text, whole } from "./schema.ts";
import { pricesFor, SPEND, spendView } from "./spend-view.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const PROBLEMS = {
  damaged_lines: whole,
  damaged: list(object({ path: text, line: whole, reason: text })),
  unreadable: list(object({ path: text, reason: text })),
};

export const scan: Command = {
  path: ["scan"],
  group: "Logs",
  brief: "What the agents' own logs on this machine hold, and what it cost",
  details:
    "Logs are only read. What was read is remembered, so that the next scan reads new lines only. With --watch it goes on and prints tokens and dollars a minute as agents write.",
  args: [],
  flags: {
    ...LOG_FLAGS,
    watch: { kind: "boolean", brief: "Go on and show what is being spent" },
    every: { kind: "duration", brief: "How often --watch looks (5s)", placeholder: "TIME" },
    budget: {
      kind: "usd",
      brief: "With --watch: say when this will be used up (what is left of the budget)",
      placeholder: "USD",
    },
  },
  output: answer("scan", {
    files: whole,
    bytes: whole,
    files_read: whole,
    sessions: whole,
    ...SPEND,
    agents: list(
      object({
        agent: text,
        sessions: whole,
        subagents: whole,
        first_at: orNull(text),
        last_at: orNull(text),
        ...SPEND,
        models: list(object({ model: text, ...SPEND })),
      }),
    ),
    warnings: whole,
    ...PROBLEMS,
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const reading = await scanFor(context, flags);
  if (!reading.ok) return reading;
  const { access, scanned } = reading.value;
  const prices = await pricesFor(access, scanned.sessions, flags.text("prices"));
  if (!prices.ok) return prices;
  if (flags.is("watch")) {
    return watchLogs(context, reading.value, prices.value, {
      everyMs: flags.count("every") ?? 5000,
      budgetMicroUsd: flags.count("budget") ?? (await configuredBudget(context)),
    });
  }
  return ok({
    exit: ExitCode.ok,
    json: { schema: "loopwright.scan/1", ok: true, ...view(scanned, prices.value) },
  });
}

/** What is left of the period's cap. */
async function configuredBudget(context: CommandContext): Promise<number | undefined> {
  const store = await context.readStore();
  return store.ok ? budgetLeft(context, store.value) : undefined;
}

function view(scanned: SummaryScan, prices: CallPrices): JsonObject {
  const agents = [...new Set(scanned.sessions.map((session) => session.agent))];
  return {
    files: scanned.files,
    bytes: scanned.bytes,
    files_read: scanned.filesRead,
    sessions: scanned.sessions.length,
    ...spendView(totalSpend(scanned.sessions, prices)),
    agents: agents.map((agent) =>
      agentView(
        agent,
        scanned.sessions.filter((session) => session.agent === agent),
        prices,
      ),
    ),
    warnings: scanned.sessions.reduce((sum, session) => sum + session.warningCount, 0),
    ...problemsView(scanned),
  };
}

export function problemsView({ damaged, problems }: Pick<SummaryScan, "damaged" | "problems">): JsonObject {
  return {
    damaged_lines: damaged.lines.length + damaged.more,
    damaged: damaged.lines.slice(0, 20).map(({ path, line, reason }) => ({ path, line, reason })),
    unreadable: problems.slice(0, 20).map(({ path, reason }) => ({ path, reason })),
  };
}

function agentView(agent: string, sessions: readonly SessionSummary[], prices: CallPrices): JsonObject {
  const models = spendBy(sessions, prices, (_, row) => row.model);
  const subagents = new Set(
    sessions.flatMap((session) =>
      session.rows.flatMap((row) => (row.subagent === undefined ? [] : `${session.id} ${row.subagent}`)),
    ),
  );
  const times = sessions.flatMap(({ firstAtMs, lastAtMs }) => [firstAtMs ?? [], lastAtMs ?? []].flat());
  return {
    agent,
    sessions: sessions.length,
    subagents: subagents.size,
    first_at: times.length === 0 ? null : new Date(times.reduce((a, b) => Math.min(a, b))).toISOString(),
    last_at: times.length === 0 ? null : new Date(times.reduce((a, b) => Math.max(a, b))).toISOString(),
    ...spendView(totalSpend(sessions, prices)),
    models: [...models]
      .sort(([, a], [, b]) => b.microUsd - a.microUsd || b.calls - a.calls)
      .map(([model, spend]) => ({ model, ...spendView(spend) })),
  };
}
