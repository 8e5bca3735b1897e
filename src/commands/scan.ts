import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import { spendBy, totalSpend } from "../logs/spend.ts";
import type { SummaryScan } from "../logs/summary-scan.ts";
import type { AgentTotals } from "../logs/totals.ts";
import type { TotalsScan } from "../logs/totals-scan.ts";
import { ExitCode } from "./exit-codes.ts";
import { type FlagReader, readFlags } from "./flag-values.ts";
import { LOG_FLAGS, scanFor, totalsFor } from "./log-scan.ts";
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
  if (flags.is("watch")) return watch(context, flags);
  const reading = await totalsFor(context, flags);
  if (!reading.ok) return reading;
  const { access, totals } = reading.value;
  const prices = await pricesFor(access, totals.agents, flags.text("prices"));
  if (!prices.ok) return prices;
  return ok({
    exit: ExitCode.ok,
    json: { schema: "loopwright.scan/1", ok: true, ...view(totals, prices.value) },
  });
}

async function watch(context: CommandContext, flags: FlagReader): Promise<Result<CommandOutput>> {
  const reading = await scanFor(context, flags);
  if (!reading.ok) return reading;
  const prices = await pricesFor(reading.value.access, reading.value.scanned.sessions, flags.text("prices"));
  if (!prices.ok) return prices;
  const { watchLogs } = await import("./scan-watch.ts");
  return watchLogs(context, reading.value, prices.value, {
    everyMs: flags.count("every") ?? 5000,
    budgetMicroUsd: flags.count("budget") ?? (await configuredBudget(context)),
  });
}

/** What is left of the period's cap. */
async function configuredBudget(context: CommandContext): Promise<number | undefined> {
  const [store, { budgetLeft }] = await Promise.all([context.readStore(), import("./budget.ts")]);
  return store.ok ? budgetLeft(context, store.value) : undefined;
}

function view(scanned: TotalsScan, prices: CallPrices): JsonObject {
  const { agents } = scanned;
  return {
    files: scanned.files,
    bytes: scanned.bytes,
    files_read: scanned.filesRead,
    sessions: agents.reduce((sum, own) => sum + own.sessions, 0),
    ...spendView(totalSpend(agents, prices)),
    agents: agents.map((own) => agentView(own, prices)),
    warnings: agents.reduce((sum, own) => sum + own.warnings, 0),
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

function agentView(own: AgentTotals, prices: CallPrices): JsonObject {
  const models = spendBy([own], prices, (_, row) => row.model);
  const { firstAtMs, lastAtMs } = own;
  return {
    agent: own.agent,
    sessions: own.sessions,
    subagents: own.subagents,
    first_at: firstAtMs === undefined ? null : new Date(firstAtMs).toISOString(),
    last_at: lastAtMs === undefined ? null : new Date(lastAtMs).toISOString(),
    ...spendView(totalSpend([own], prices)),
    models: [...models]
      .sort(([, a], [, b]) => b.microUsd - a.microUsd || b.calls - a.calls)
      .map(([model, spend]) => ({ model, ...spendView(spend) })),
  };
}
