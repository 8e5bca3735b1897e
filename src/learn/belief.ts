import { canonicalJson } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import { fitBinaryHead, fitNumberHead, type HeadBelief, type Priors } from "./fit/fit-head.ts";
import { type HeadKind, plainPrior, type ShippedHead, shippedPrior } from "./fit/prior-table.ts";
import type { ModelMonths } from "./rows/drift.ts";
import type { RunFacts } from "./rows/facts.ts";
import { type HeadRows, headRows, type ScoreRows } from "./rows/head-rows.ts";
import type { PartPlan } from "./rows/parts.ts";

/** Grows when equal data would give other numbers. */
export const DESIGN_VERSION = 1;

/** Other people's runs, as shipped: replaceable data. */
export interface ShippedPrior {
  readonly version: string;
  readonly design_version: number;
  readonly heads: Readonly<Partial<Record<"success" | "gate" | "cost" | "tokens", ShippedHead>>>;
}

export interface ScoreBelief {
  readonly head: HeadBelief;
  readonly scale: ScoreRows["scale"];
  readonly center: number;
  readonly spread: number;
  /** Runs with this score, by task type. */
  readonly runsByType: ReadonlyMap<string, number>;
}

/** Everything learned from a set of runs. */
export interface Belief {
  readonly runs: readonly RunFacts[];
  /** Decides all random numbers: the same data give the same numbers. */
  readonly seed: number;
  /** Names the data and the settings of the fit. */
  readonly fingerprint: string;
  readonly success: HeadBelief;
  readonly gate: HeadBelief;
  readonly cost: HeadBelief;
  readonly tokens: HeadBelief;
  readonly scores: ReadonlyMap<string, ScoreBelief>;
  readonly months: ModelMonths;
  readonly repeatedTasks: ReadonlySet<string>;
  readonly parts: PartPlan;
  readonly zeroCostAttempts: number;
  readonly unknownCostAttempts: number;
}

/**
 * Learns from runs. Without `shipped` the table of defaults is the only prior. Neither the order of the runs nor
 * repetition of a call changes a digit.
 */
export function fitBelief(runs: readonly RunFacts[], shipped: ShippedPrior | undefined): Belief {
  const sorted = [...runs].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const unique = sorted.filter(({ id }, i) => id !== sorted[i - 1]?.id);
  const rows = headRows(unique);
  const fingerprint = fingerprintOf(rows, shipped);
  const scores = [...rows.scores].map(([name, score]) => {
    const head = fitNumberHead(score.rows, { plain: plainPrior("score") });
    const { scale, center, spread } = score;
    return [name, { head, scale, center, spread, runsByType: runsByType(unique, name) }] as const;
  });
  return {
    runs: unique,
    seed: Number.parseInt(fingerprint.slice(0, 8), 16),
    fingerprint,
    success: fitBinaryHead(rows.success, priorsOf("success", shipped)),
    gate: fitBinaryHead(rows.gate, priorsOf("gate", shipped)),
    cost: fitNumberHead(rows.cost, priorsOf("cost", shipped)),
    tokens: fitNumberHead(rows.tokens, priorsOf("tokens", shipped)),
    scores: new Map(scores),
    months: rows.months,
    repeatedTasks: rows.repeatedTasks,
    parts: rows.parts,
    zeroCostAttempts: rows.zeroCostAttempts,
    unknownCostAttempts: rows.unknownCostAttempts,
  };
}

function priorsOf(kind: HeadKind, shipped: ShippedPrior | undefined): Priors {
  const head = kind === "score" ? undefined : shipped?.heads[kind];
  const plain = plainPrior(kind);
  return head === undefined ? { plain } : { plain, shipped: shippedPrior(kind, head) };
}

function runsByType(runs: readonly RunFacts[], score: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { task, scores } of runs) {
    if (scores.some(({ name }) => name === score)) counts.set(task.type, (counts.get(task.type) ?? 0) + 1);
  }
  return counts;
}

function fingerprintOf(rows: HeadRows, shipped: ShippedPrior | undefined): string {
  const text = (list: readonly unknown[]): string =>
    list
      .map((row) => JSON.stringify(row))
      .sort()
      .join("\n");
  const heads = [rows.success, rows.gate, rows.cost, rows.tokens].map((list) => sha256(text(list)));
  return sha256(
    canonicalJson({
      design: DESIGN_VERSION,
      heads,
      scores: [...rows.scores].map(([name, score]) => [name, sha256(text(score.rows))]),
      prior: shipped === undefined ? null : sha256(JSON.stringify(shipped)),
    }),
  );
}
