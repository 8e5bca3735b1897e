import { formatMicroUsd } from "../core/money.ts";
import { ok, type Result } from "../core/result.ts";
import type { Loop } from "../formats/loop/index.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { type Concurrency, type GraphPlan, planGraph } from "../graph/index.ts";
import type { PieceHistory } from "../plan/loop-history.ts";
import type { CommandContext } from "./types.ts";

/** What one pass over a loop's pieces takes, by its earlier runs in this folder. */
export interface LoopForecast {
  readonly history: ReadonlyMap<string, PieceHistory>;
  /** Weighed by the time they took, where they have run before. */
  readonly pieces: Loop["pieces"];
  readonly unit: "weight" | "seconds";
  readonly plan: GraphPlan;
  /** Undefined without earlier runs. */
  readonly seconds: number | undefined;
  readonly usd: { readonly known: number; readonly unknown: readonly string[] };
  /** The same for people; empty without earlier runs. */
  readonly lines: readonly string[];
}

/** `concurrency`: how many pieces may run at a time. */
export async function forecastLoop(
  context: CommandContext,
  loop: Loop,
  concurrency: Concurrency,
): Promise<Result<LoopForecast>> {
  const history = await loopHistory(context, loop);
  if (!history.ok) return history;
  const { iterationUsd, weighByHistory } = await import("../plan/loop-history.ts");
  const { pieces, unit } = weighByHistory(loop.pieces, history.value);
  const planned = planGraph(pieces, concurrency);
  if (!planned.ok) return planned;
  const plan = planned.value;
  const usd = iterationUsd(loop.pieces, history.value);
  const seconds =
    unit === "seconds" ? plan.totalCost / (plan.curve[plan.scheduledWorkers - 1] ?? 1) : undefined;
  const lines = seconds === undefined ? [] : [iterationLine(seconds, usd, pieces.length)];
  return ok({ history: history.value, pieces, unit, plan, seconds, usd, lines });
}

function iterationLine(seconds: number, { known, unknown }: LoopForecast["usd"], pieces: number): string {
  const dollars = unknown.length === pieces ? [] : [formatMicroUsd(Math.round(known * 1e6))];
  const open = unknown.length === 0 ? [] : [`${unknown.length} unknown (${unknown.join(", ")})`];
  return `One iteration:       about ${Math.ceil(seconds)} s, cost ${[...dollars, ...open].join(" + ")}, by earlier runs`;
}

/** As many of the newest runs are looked through, and as many of this loop's own are taken. */
const LOOKED_AT = 500;
const TAKEN = 20;

/** What the pieces of a loop took and cost in its earlier runs in this folder; empty without a store. */
async function loopHistory(
  context: CommandContext,
  loop: Loop,
): Promise<Result<ReadonlyMap<string, PieceHistory>>> {
  const store = await context.readStore();
  if (!store.ok) return store;
  const rows = (await store.value?.runs({ origin: "recorded", limit: LOOKED_AT })) ?? ok([]);
  if (!rows.ok) return rows;
  const named = rows.value.filter(({ title, session }) => session !== undefined && title === loop.name);
  if (store.value === undefined || named.length === 0) return ok(new Map());
  const { readRun } = await import("../record/judging.ts");
  const { pieceHistory } = await import("../plan/loop-history.ts");
  const documents: OcpDocument[] = [];
  for (const { run } of named.slice(0, TAKEN)) {
    const read = await readRun(store.value, run);
    if (!read.ok) return read;
    const { workspace = "" } = read.value.document.run;
    if (`${context.cwd}/`.startsWith(`${workspace}/`)) documents.push(read.value.document);
  }
  return ok(pieceHistory(documents));
}
