import { canonicalJson } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import { attemptData, type BinaryData, binaryData, type NumberData, numberData } from "./fit/design.ts";
import { fitBinaryHead, fitNumberHead, type Priors } from "./fit/fit-head.ts";
import type { HeadBelief } from "./fit/head-belief.ts";
import { type HeadKind, plainPrior, type ShippedHead, shippedPrior } from "./fit/prior-table.ts";
import type { ModelMonths } from "./rows/drift.ts";
import type { RunFacts } from "./rows/facts.ts";
import { headRows, type ScoreRows } from "./rows/head-rows.ts";
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
  const data = {
    success: binaryData(rows.success),
    gate: binaryData(rows.gate),
    ...attemptData(rows.attempts),
  };
  const scored = [...rows.scores].map(([name, score]) => ({ name, score, data: numberData(score.rows) }));
  const fingerprint = fingerprintOf(
    { ...data, ...Object.fromEntries(scored.map((one) => [`score:${one.name}`, one.data])) },
    shipped,
  );
  const scores = scored.map(({ name, score: { scale, center, spread }, data: own }) => {
    const head = fitNumberHead(own, { plain: plainPrior("score") });
    return [name, { head, scale, center, spread, runsByType: runsByType(unique, name) }] as const;
  });
  const cost = fitNumberHead(data.cost, priorsOf("cost", shipped));
  return {
    runs: unique,
    seed: Number.parseInt(fingerprint.slice(0, 8), 16),
    fingerprint,
    success: fitBinaryHead(data.success, priorsOf("success", shipped)),
    gate: fitBinaryHead(data.gate, priorsOf("gate", shipped)),
    cost,
    tokens: fitNumberHead(data.tokens, priorsOf("tokens", shipped), cost),
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

function fingerprintOf(
  heads: Readonly<Record<string, BinaryData | NumberData>>,
  shipped: ShippedPrior | undefined,
): string {
  return sha256(
    canonicalJson({
      design: DESIGN_VERSION,
      heads: Object.entries(heads).map(([name, data]) => [name, ...dataDigests(data)]),
      prior: shipped === undefined ? null : sha256(JSON.stringify(shipped)),
    }),
  );
}

function dataDigests(data: BinaryData | NumberData): readonly string[] {
  const { nodes, rows } = data;
  const own = "trials" in data ? [data.trials, data.yes, data.reliability] : [data.y, data.weight, data.runs];
  return [
    sha256(nodes.ids.join("\n")),
    ...[rows.start, rows.columns, rows.values, ...own].map(({ buffer, byteOffset, byteLength }) =>
      sha256(new Uint8Array(buffer, byteOffset, byteLength)),
    ),
  ];
}
