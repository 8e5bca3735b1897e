import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { HOUR_MS, instant } from "../core/time.ts";
import type { Config } from "../formats/config/index.ts";
import type { RunFilter, RunTotals, Store } from "../ports/store.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { configFile, configText, readConfig } from "./home-config.ts";
import { answer, flag, number, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const SPENT = object({ usd: number, runs: whole, unknown_costs: whole, runs_not_costed: whole });

export const budget: Command = {
  path: ["budget"],
  group: "Record",
  brief: "What was spent in the period, against its cap; with --usd or --period set them",
  details:
    "Advisory: reaching the cap pauses exploration only. Imported history and open runs do not count; runs recorded as habit do.",
  args: [],
  flags: {
    usd: { kind: "usd", brief: "Cap of a period", placeholder: "USD" },
    period: { kind: "choice", brief: "Period of the cap (month)", choices: ["week", "month", "none"] },
  },
  output: answer("budget", {
    cap_usd: orNull(number),
    period: oneOf("week", "month", "none"),
    since: orNull(text),
    spent: SPENT,
    exploration: SPENT,
    history: SPENT,
    open_runs: whole,
    remaining_usd: orNull(number),
    reached: flag,
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const changed = await change(context, input);
  if (!changed.ok) return changed;
  const config = await readConfig(context);
  if (!config.ok) return config;
  const store = await context.readStore();
  if (!store.ok) return store;
  const { period, since } = await periodOf(config.value, context.now());
  const sums = await totals(store.value, since);
  if (!sums.ok) return sums;
  const { spent, exploration, history, open } = sums.value;
  const cap = config.value.values.get("budget.usd");
  const capUsd = typeof cap === "number" ? cap : null;
  const remaining = capUsd === null ? null : Math.round(capUsd * 1e6 - spent.costMicroUsd) / 1e6;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.budget/1",
      ok: true,
      cap_usd: capUsd,
      period,
      since: since ?? null,
      spent: view(spent),
      exploration: view(exploration),
      history: view(history),
      open_runs: open.runs,
      remaining_usd: remaining === null ? null : Math.max(0, remaining),
      reached: remaining !== null && remaining <= 0,
    },
  });
}

/** What is left of the period's cap; undefined without a cap, or where it cannot be told. */
export async function budgetLeft(
  context: CommandContext,
  store: Store | undefined,
): Promise<number | undefined> {
  const config = await readConfig(context);
  const cap = config.ok ? config.value.values.get("budget.usd") : undefined;
  if (!config.ok || typeof cap !== "number") return undefined;
  const { since } = await periodOf(config.value, context.now());
  const sums = await totals(store, since);
  return sums.ok ? Math.round(cap * 1e6 - sums.value.spent.costMicroUsd) : undefined;
}

/** What is left of the cap, and how long that lasts at the pace of the period; null without a cap. */
export async function budgetPace(
  context: CommandContext,
  store: Store | undefined,
): Promise<Result<JsonObject | null>> {
  const config = await readConfig(context);
  if (!config.ok) return config;
  const cap = config.value.values.get("budget.usd");
  if (typeof cap !== "number") return ok(null);
  const { since } = await periodOf(config.value, context.now());
  const sums = await totals(store, since);
  if (!sums.ok) return sums;
  const spentUsd = sums.value.spent.costMicroUsd / 1e6;
  const days = since === undefined ? undefined : (context.now() - Date.parse(since)) / DAY_MS;
  return ok(paceView(cap, spentUsd, days));
}

const DAY_MS = 24 * HOUR_MS;

/** Pure part of `budgetPace`. Less than a day counts as one; a cap without a period has no pace. */
export function paceView(capUsd: number, spentUsd: number, days: number | undefined): JsonObject {
  const left = Math.max(0, capUsd - spentUsd);
  const perDay = days === undefined ? undefined : spentUsd / Math.max(1, days);
  const daysLeft = left === 0 ? 0 : perDay === undefined || perDay === 0 ? null : Math.round(left / perDay);
  return {
    cap_usd: capUsd,
    left_usd: round(left),
    usd_per_day: perDay === undefined ? null : round(perDay),
    days_left: daysLeft,
  };
}

function round(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

/** The period of the cap, and when the present one began. */
async function periodOf(config: Config, nowMs: number) {
  const { periodStart, PERIODS } = await import("../record/spend-period.ts");
  const set = config.values.get("budget.period");
  const period = PERIODS.find((one) => one === set) ?? "month";
  const startMs = periodStart(period, nowMs);
  return { period, since: startMs === undefined ? undefined : instant(startMs) };
}

/** Only a person sets a cap; reading what was spent is anybody's. */
async function change(context: CommandContext, input: CommandInput): Promise<Result<void>> {
  const flags = readFlags(input);
  const usd = flags.count("usd");
  const period = flags.text("period");
  if (usd === undefined && period === undefined) return ok(undefined);
  if (context.insideAttempt)
    return fail("person-only", "only a person may change the budget, and this is an attempt of a session");
  const { setConfig } = await import("../formats/config/index.ts");
  let edited = await configText(context);
  if (edited.ok && usd !== undefined) edited = setConfig(edited.value, "budget.usd", String(usd / 1e6));
  if (edited.ok && period !== undefined) edited = setConfig(edited.value, "budget.period", period);
  return edited.ok ? context.files.write(configFile(context), edited.value) : edited;
}

interface Sums {
  readonly spent: RunTotals;
  readonly exploration: RunTotals;
  readonly history: RunTotals;
  readonly open: RunTotals;
}

const NOTHING: RunTotals = { runs: 0, costMicroUsd: 0, unknownCosts: 0, runsNotCosted: 0 };

async function totals(store: Store | undefined, since: string | undefined): Promise<Result<Sums>> {
  if (store === undefined)
    return ok({ spent: NOTHING, exploration: NOTHING, history: NOTHING, open: NOTHING });
  const inPeriod: RunFilter = { state: "finished", ...(since !== undefined && { since }) };
  const spent = await store.runTotals({ ...inPeriod, origin: "recorded" });
  if (!spent.ok) return spent;
  const exploration = await store.runTotals({ ...inPeriod, origin: "recorded", source: "exploration" });
  if (!exploration.ok) return exploration;
  const history = await store.runTotals({ ...inPeriod, origin: "imported" });
  if (!history.ok) return history;
  const open = await store.runTotals({ state: "open" });
  if (!open.ok) return open;
  return ok({ spent: spent.value, exploration: exploration.value, history: history.value, open: open.value });
}

function view(sum: RunTotals): JsonObject {
  return {
    usd: sum.costMicroUsd / 1e6,
    runs: sum.runs,
    unknown_costs: sum.unknownCosts,
    runs_not_costed: sum.runsNotCosted,
  };
}
