import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import { totalSpend } from "../logs/spend.ts";
import type { SessionSummary } from "../logs/summary.ts";
import type { RunRow, Store } from "../ports/store.ts";
import { costPerAccepted, type DecidedRun } from "./accepted-cost.ts";
import { runTexts } from "./run-documents.ts";
import { list, number, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { CommandContext } from "./types.ts";

const TIERS = ["accepted", "rejected", "undecided", "no_outcome"] as const;
type Tier = (typeof TIERS)[number];

/** How far the outcome of each session's work is known: by the run that names the session, or not at all. */
export const EVIDENCE = list(
  object({ outcome: oneOf(...TIERS), source: text, sessions: whole, cost_usd: orNull(number) }),
);

const SOURCES: Readonly<Record<Tier, string>> = {
  accepted: "a recorded run",
  rejected: "a recorded run",
  undecided: "a recorded run without a verdict",
  no_outcome: "no recorded run names the session",
};

export interface Evidence {
  readonly view: JsonObject;
  /** Agents' sessions that recorded runs name. */
  readonly recorded: ReadonlySet<string>;
}

/** Outcomes of recorded runs, and what the sessions cost that they name. */
export async function evidenceOf(
  context: CommandContext,
  sessions: readonly SessionSummary[],
  prices: CallPrices,
  period: { readonly fromMs: number; readonly toMs: number },
): Promise<Result<Evidence>> {
  const store = await context.readStore();
  if (!store.ok) return store;
  const runs = await runsOf(store.value, period);
  if (!runs.ok) return runs;
  const tiers = new Map<string, Tier>();
  for (const { row, sessions: named } of runs.value) {
    for (const session of named) tiers.set(session, tierOf(row));
  }
  const evidence = TIERS.map((outcome) => {
    const mine = sessions.filter((session) => (tiers.get(session.root) ?? "no_outcome") === outcome);
    const spend = totalSpend(mine, prices);
    const isKnown = spend.unpriced.length === 0;
    return {
      outcome,
      source: SOURCES[outcome],
      sessions: mine.length,
      cost_usd: isKnown ? spend.microUsd / 1e6 : null,
    };
  });
  const decided = runs.value.flatMap(({ row }): DecidedRun[] => {
    const tier = tierOf(row);
    if (row.unknownCosts > 0 || (tier !== "accepted" && tier !== "rejected")) return [];
    return [{ isAccepted: tier === "accepted", microUsd: row.costMicroUsd }];
  });
  return ok({
    view: {
      per_accepted_usd: costPerAccepted(decided),
      evidence: evidence.filter((entry) => entry.sessions > 0),
    },
    recorded: new Set(tiers.keys()),
  });
}

function tierOf(row: RunRow): Tier {
  return row.outcome === "accepted" || row.outcome === "rejected" ? row.outcome : "undecided";
}

interface RecordedRun {
  readonly row: RunRow;
  /** Agents' session ids that its attempts name. */
  readonly sessions: readonly string[];
}

async function runsOf(
  store: Store | undefined,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<Result<readonly RecordedRun[]>> {
  if (store === undefined) return ok([]);
  const rows = await store.runs({ limit: 1_000_000 });
  if (!rows.ok) return rows;
  const between = rows.value.filter(({ startedAt }) => {
    const atMs = Date.parse(startedAt);
    return !(atMs < fromMs || atMs > toMs);
  });
  const runs: RecordedRun[] = [];
  for await (const found of runTexts(store, between)) {
    if (!found.ok) return found;
    runs.push({ row: found.value.row, sessions: namedSessions(found.value.text) });
  }
  return ok(runs);
}

function namedSessions(document: string | undefined): string[] {
  if (document === undefined) return [];
  const parsed: { readonly attempts?: readonly { readonly session?: unknown }[] } = JSON.parse(document);
  return (parsed.attempts ?? []).flatMap(({ session }) => (typeof session === "string" ? session : []));
}
