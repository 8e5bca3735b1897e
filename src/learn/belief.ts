import { sha256 } from "../core/hash.ts";
import type { FitThread } from "../ports/fit-thread.ts";
import { binaryData } from "./fit/design.ts";
import { MAX_CURVE_ROWS } from "./fit/evidence-curve.ts";
import { curvesNear, fitAlikeHeads, fitBinaryHead, fitNumberHead } from "./fit/fit-head.ts";
import type { HeadBelief } from "./fit/head-belief.ts";
import { attemptData, numberData } from "./fit/number-data.ts";
import { type HeadKind, type Priors, priorsOf, type ShippedHead } from "./fit/prior-table.ts";
import { RowStore } from "./fit/row-store.ts";
import { updateBinaryHead, updateNumberHead } from "./fit/update-head.ts";
import { fitNames } from "./fit-names.ts";
import { arraysOf, headJob, headOf } from "./head-job.ts";
import { type KeptHeads, readKept, writeKept } from "./keep.ts";
import type { RowPlan } from "./rows/contexts.ts";
import type { ModelMonths } from "./rows/drift.ts";
import type { RunFacts } from "./rows/facts.ts";
import {
  type AttemptRow,
  furtherScores,
  type HeadRows,
  headRows,
  type NumberRow,
  planRows,
  type ScoreRows,
} from "./rows/head-rows.ts";
import type { HorizonPlan } from "./rows/horizon.ts";
import type { PartPlan } from "./rows/parts.ts";

/** Grows when equal data would give other numbers. */
export const DESIGN_VERSION = 1;

/** Other people's runs, as shipped: replaceable data. */
export interface ShippedPrior {
  readonly version: string;
  readonly design_version: number;
  readonly heads: Readonly<Partial<Record<"success" | "gate" | "cost" | "tokens", ShippedHead>>>;
}

export interface ScoreBelief extends ScoreHead {
  /** Runs with this score, by task type. */
  readonly runsByType: ReadonlyMap<string, number>;
}

/** A score's head and the unit that it thinks in. */
export interface ScoreHead {
  readonly head: HeadBelief;
  readonly scale: ScoreRows["scale"];
  readonly center: number;
  readonly spread: number;
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
  readonly horizon: HorizonPlan | undefined;
  /** How much dearer a model is now than when the prior was made, as a logarithm: what it costs moves by that. */
  readonly lnPriceNow?: (model: string) => number;
  readonly zeroCostAttempts: number;
  readonly unknownCostAttempts: number;
}

/**
 * Learns from runs. Without `shipped` the table of defaults is the only prior. Neither the order of the runs nor
 * repetition of a call changes a digit, and neither does `kept`, the answer of `keepFit` for some of the runs: it
 * only saves time. Its bytes become the fit's own, and are good for nothing else afterwards.
 *
 * The runs up to the last full fit, whose place depends on their count alone, are fitted at once; each later run
 * updates that fit.
 */
export function fitBelief(
  runs: readonly RunFacts[],
  shipped: ShippedPrior | undefined,
  kept?: Uint8Array,
): Belief {
  const question = new Question(runs, shipped);
  return settled(question, startOf(question, kept) ?? fitHeads(question));
}

/** The same with the heads of yes and no answers fitted on another thread, for many runs: it takes as long as a job. */
export async function fitBeliefBeside(
  thread: FitThread,
  runs: readonly RunFacts[],
  shipped: ShippedPrior | undefined,
  kept?: Uint8Array,
): Promise<Belief> {
  const question = new Question(runs, shipped);
  return settled(question, startOf(question, kept) ?? (await fitHeadsBeside(thread, question)));
}

/** What a fit is asked of. */
class Question {
  readonly runs: readonly RunFacts[];
  /** How many of the runs are fitted at once. */
  readonly base: number;
  readonly shipped: ShippedPrior | undefined;
  #names: ReadonlyMap<string, number> | undefined;

  constructor(runs: readonly RunFacts[], shipped: ShippedPrior | undefined) {
    this.runs = runsInOrder(runs);
    this.base = fullFitCount(this.runs.length);
    this.shipped = shipped;
  }

  /** See `fitNames`. */
  names(): ReadonlyMap<string, number> {
    this.#names ??= fitNames(metBy(this.shipped), this.runs, this.base);
    return this.#names;
  }
}

/** Heads of the first so many runs, and how their rows were planned where that was just done. */
interface Start {
  readonly count: number;
  readonly heads: KeptHeads;
  readonly plan?: RowPlan;
}

/** Undefined without a kept fit of these runs. */
function startOf(question: Question, kept: Uint8Array | undefined): Start | undefined {
  if (kept === undefined) return undefined;
  const found = readKept(kept, (kind) => priorsIn(question.shipped, kind));
  const count = found === undefined ? undefined : question.names().get(found.key);
  return found === undefined || count === undefined ? undefined : { count, heads: found.heads };
}

function settled(question: Question, start: Start): Belief {
  const { runs, base } = question;
  const isWhole = start.plan !== undefined && base === runs.length;
  const plan = isWhole ? start.plan : planRows(runs, start.heads);
  let heads = start.heads;
  for (let count = start.count; count < runs.length; count += 1) {
    heads = updateHeads(heads, runs.slice(count, count + 1), plan);
  }
  return beliefOf(runs, heads, plan, [...question.names().keys()].at(-1) ?? "");
}

/** What `fitBelief` needs to go on from here. */
export function keepFit(belief: Belief): Uint8Array {
  const { success, gate, cost, tokens, scores, parts, horizon, fingerprint } = belief;
  return writeKept({ key: fingerprint, heads: { success, gate, cost, tokens, scores, parts, horizon } });
}

/** Each run once, in order of time. */
export function runsInOrder(runs: readonly RunFacts[]): readonly RunFacts[] {
  const byId = [...runs].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const unique = byId.filter(({ id }, i) => id !== byId[i - 1]?.id);
  return unique.sort((a, b) => (a.endedMs ?? 0) - (b.endedMs ?? 0));
}

/** How many of so many runs are fitted at once: an update is quick, and as good only while the runs are few. */
export function fullFitCount(count: number): number {
  const every = count < 20 ? 1 : count < 100 ? 5 : count < 1000 ? 10 : 25;
  return count - (count % every);
}

/** What runs meet in a fit, as a text. */
function metBy(shipped: ShippedPrior | undefined): string {
  return `${DESIGN_VERSION} ${shipped === undefined ? "none" : sha256(JSON.stringify(shipped))} `;
}

/** One head after the other: each is done with its rows before the next ones take their place. */
function fitHeads(question: Question): Start {
  const { runs, plan, rows } = firstRows(question);
  const store = new RowStore();
  const numbers = numberHeads(question, runs, rows, store);
  const binaryHead = (kind: "success" | "gate"): HeadBelief => {
    store.empty(answersOf(kind, runs));
    return fitBinaryHead(binaryData(rows[kind], store), priorsIn(question.shipped, kind));
  };
  return startWith(runs, plan, { ...numbers, success: binaryHead("success"), gate: binaryHead("gate") });
}

/** Answers first: while the other thread fits them, this one does all else. */
async function fitHeadsBeside(thread: FitThread, question: Question): Promise<Start> {
  const { runs, plan, rows } = firstRows(question);
  const binaryHead = async (kind: "success" | "gate"): Promise<HeadBelief> => {
    const job = headJob(kind, question.shipped?.heads[kind], rows[kind], answersOf(kind, runs));
    const bytes = await thread.fit(job, arraysOf(job)).catch(() => undefined);
    const head = bytes === undefined ? undefined : headOf(bytes, job);
    return head ?? fitBinaryHead(binaryData(rows[kind]), priorsIn(question.shipped, kind));
  };
  const binary = [binaryHead("success"), binaryHead("gate")] as const;
  question.names();
  const numbers = numberHeads(question, runs, rows, new RowStore());
  const [success, gate] = await Promise.all(binary);
  return startWith(runs, plan, { ...numbers, success, gate });
}

/** How many answers there are, roughly: room for twice as many would be much. */
function answersOf(kind: "success" | "gate", runs: readonly RunFacts[]): number {
  return kind === "success" ? runs.length : runs.reduce((sum, { gates }) => sum + gates.length, 0);
}

function startWith(
  runs: readonly RunFacts[],
  plan: RowPlan,
  heads: Omit<KeptHeads, "parts" | "horizon">,
): Start {
  return { count: runs.length, heads: { ...heads, parts: plan.parts, horizon: plan.horizon }, plan };
}

interface FirstRows {
  readonly runs: readonly RunFacts[];
  readonly plan: RowPlan;
  readonly rows: HeadRows;
}

/** Of the runs that are fitted at once. */
function firstRows({ runs, base }: Question): FirstRows {
  const first = runs.slice(0, base);
  const plan = planRows(first);
  return { runs: first, plan, rows: headRows(first, plan) };
}

function numberHeads(
  { shipped }: Question,
  runs: readonly RunFacts[],
  rows: HeadRows,
  store: RowStore,
): Pick<KeptHeads, "cost" | "tokens" | "scores"> {
  store.empty(runs.reduce((sum, { attempts }) => sum + attempts.length, 0));
  const data = attemptData(rows.attempts, store);
  const [cost, tokens] = fitAlikeHeads(
    { data: data.cost, priors: priorsIn(shipped, "cost") },
    { data: data.tokens, priors: priorsIn(shipped, "tokens") },
  );
  const scores = [...rows.scores].map(([name, { rows: own, scale, center, spread }]) => {
    const head = fitNumberHead(numberData(own), priorsIn(shipped, "score"));
    return [name, { head, scale, center, spread }] as const;
  });
  return { cost, tokens, scores: new Map(scores) };
}

/** The heads before are not wanted any more. */
function updateHeads(heads: KeptHeads, runs: readonly RunFacts[], plan: RowPlan): KeptHeads {
  const rows = headRows(runs, plan);
  const attempts = [...rows.attempts];
  const scores = [...heads.scores].map(([name, score]) => {
    const head = updateNumberHead(score.head, [furtherScores(runs, plan, name, score)], "given-up");
    return [name, { ...score, head }] as const;
  });
  return {
    ...heads,
    success: updateBinaryHead(heads.success, [...rows.success], "given-up"),
    gate: updateBinaryHead(heads.gate, [...rows.gate], "given-up"),
    cost: updateNumberHead(heads.cost, [numbersOf(attempts, ({ lnUsd }) => lnUsd, true)], "given-up"),
    tokens: updateNumberHead(
      heads.tokens,
      [numbersOf(attempts, ({ lnTokens }) => lnTokens, false)],
      "given-up",
    ),
    scores: new Map(scores),
  };
}

function numbersOf(
  attempts: readonly AttemptRow[],
  amountOf: (row: AttemptRow) => number | undefined,
  isWeighted: boolean,
): readonly NumberRow[] {
  return attempts.flatMap((row) => {
    const y = amountOf(row);
    if (y === undefined) return [];
    return [{ terms: row.terms, y, weight: isWeighted ? row.usdWeight : 1, group: row.group }];
  });
}

function beliefOf(runs: readonly RunFacts[], heads: KeptHeads, plan: RowPlan, fingerprint: string): Belief {
  const costs = { zero: 0, unknown: 0 };
  for (const { attempts } of runs) {
    for (const { costUsd } of attempts) {
      if (costUsd === 0) costs.zero += 1;
      else if (costUsd === undefined) costs.unknown += 1;
    }
  }
  const rowsOf = { success: () => headRows(runs, plan).success, gate: () => headRows(runs, plan).gate };
  const withCurves = (head: HeadBelief, name: "success" | "gate"): HeadBelief => {
    const { curves: _, ...plain } = head;
    if (head.rows === 0 || head.rows > MAX_CURVE_ROWS) return plain;
    return { ...plain, curves: curvesNear(() => binaryData(rowsOf[name]()), head) };
  };
  return {
    ...heads,
    runs,
    seed: Number.parseInt(fingerprint.slice(0, 8), 16),
    fingerprint,
    success: withCurves(heads.success, "success"),
    gate: withCurves(heads.gate, "gate"),
    scores: new Map(
      [...heads.scores].map(([name, score]) => [name, { ...score, runsByType: runsByType(runs, name) }]),
    ),
    months: plan.months,
    repeatedTasks: plan.repeatedTasks,
    zeroCostAttempts: costs.zero,
    unknownCostAttempts: costs.unknown,
  };
}

function priorsIn(shipped: ShippedPrior | undefined, kind: HeadKind): Priors {
  return priorsOf(kind, kind === "score" ? undefined : shipped?.heads[kind]);
}

function runsByType(runs: readonly RunFacts[], score: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { task, scores } of runs) {
    if (scores.some(({ name }) => name === score)) counts.set(task.type, (counts.get(task.type) ?? 0) + 1);
  }
  return counts;
}
