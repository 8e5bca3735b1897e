import { clip } from "../kernels/vector.ts";
import { Contexts, type RowPlan } from "./contexts.ts";
import { modelMonths } from "./drift.ts";
import type { RunFacts } from "./facts.ts";
import { planHorizon } from "./horizon.ts";
import { modelPath } from "./model-path.ts";
import { term } from "./names.ts";
import { planParts } from "./parts.ts";
import { preferenceRows } from "./preference-rows.ts";
import {
  agentPieces,
  attemptTerms,
  endTerms,
  FAILED,
  gateTerms,
  type RowContext,
  runTerms,
  type Term,
} from "./terms.ts";

/** A row with a yes or no answer; `reliability` is the chance that the answer is right. */
export interface BinaryRow {
  readonly terms: readonly Term[];
  readonly isYes: boolean;
  readonly reliability: number;
  /** 1 as a rule. */
  readonly weight: number;
}

/** A row with a number. Rows of one `group` share their noise. */
export interface NumberRow {
  readonly terms: readonly Term[];
  readonly y: number;
  readonly weight: number;
  readonly group: string;
}

/** An attempt with what it cost, as far as that is known and positive. Attempts of one `group` share their noise. */
export interface AttemptRow {
  readonly terms: readonly Term[];
  readonly lnUsd: number | undefined;
  readonly usdWeight: number;
  readonly lnTokens: number | undefined;
  readonly group: string;
}

export interface ScoreRows {
  readonly rows: readonly NumberRow[];
  readonly scale: "linear" | "log" | "fraction";
  readonly center: number;
  readonly spread: number;
}

/** Everything the heads learn from, and what was left out on the way. Rows are made when they are asked for. */
export interface HeadRows {
  readonly success: Iterable<BinaryRow>;
  readonly gate: Iterable<BinaryRow>;
  readonly attempts: Iterable<AttemptRow>;
  readonly scores: ReadonlyMap<string, ScoreRows>;
}

/** What is settled at a full fit, so that what rows said before goes on to mean the same. */
export type SettledPlan = Pick<RowPlan, "parts" | "horizon">;

const MIN_SCORE_RUNS = 3;

/** What is settled can be that of earlier runs. */
export function planRows(
  runs: readonly RunFacts[],
  { parts, horizon }: SettledPlan = { parts: planParts(runs), horizon: planHorizon(runs) },
): RowPlan {
  return { months: modelMonths(sightings(runs)), repeatedTasks: tasksSeenTwice(runs), parts, horizon };
}

export function headRows(runs: readonly RunFacts[], plan: RowPlan = planRows(runs)): HeadRows {
  const contexts = new Contexts(plan);
  const made = <Row>(rowsOf: (run: RunFacts, context: RowContext) => readonly Row[]): Iterable<Row> => ({
    *[Symbol.iterator]() {
      for (const run of runs) for (const row of rowsOf(run, contexts.of(run))) yield row;
    },
  });
  return {
    success: {
      *[Symbol.iterator]() {
        yield* made(successRow);
        yield* preferenceRows(runs, (run) => successTerms(run, contexts.of(run)));
      },
    },
    gate: made(gateRows),
    attempts: made(attemptRows),
    scores: scoreRows(
      runs.filter(({ scores }) => scores.length > 0).map((run) => ({ run, context: contexts.of(run) })),
    ),
  };
}

function tasksSeenTwice(runs: readonly RunFacts[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { task } of runs) {
    if (task.id === undefined) continue;
    if (seen.has(task.id)) twice.add(task.id);
    else seen.add(task.id);
  }
  return twice;
}

/** Each model, as runs name it, once for each of its months; runs of one month come together as a rule. */
function sightings(runs: readonly RunFacts[]): readonly (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  const known = new Map<number, Set<string>>();
  let current: number | undefined;
  let seen = new Set<string>();
  for (const { month, workflow, attempts } of runs) {
    if (month === undefined) continue;
    if (month !== current) {
      current = month;
      seen = known.get(month) ?? new Set();
      known.set(month, seen);
    }
    for (const list of [workflow.pieces, attempts]) {
      for (const { setting } of list) {
        if (setting.model === undefined || seen.has(setting.model)) continue;
        seen.add(setting.model);
        found.push([modelPath(setting.model).model, month]);
      }
    }
  }
  return found;
}

function successTerms(run: RunFacts, context: RowContext): readonly Term[] {
  return [...runTerms(run.task, run.workflow, context), ...endTerms(run.roundsUsed, run.isExhausted)];
}

function successRow(run: RunFacts, context: RowContext): readonly BinaryRow[] {
  if (run.verdict === undefined) return [];
  const terms = successTerms(run, context);
  const { isAccepted, reliability } = run.verdict;
  return [{ terms, isYes: isAccepted, reliability, weight: 1 }];
}

function gateRows(run: RunFacts, context: RowContext): readonly BinaryRow[] {
  return run.gates.flatMap(({ gate: id, round, isPassed }) => {
    const gate = run.workflow.gates.find((one) => one.id === id);
    if (gate === undefined) return [];
    const terms = gateTerms(run.task, run.workflow, gate, round, context);
    return [{ terms, isYes: isPassed, reliability: 1, weight: 1 }];
  });
}

function attemptRows(run: RunFacts, context: RowContext): readonly AttemptRow[] {
  const pieces = new Map(agentPieces(run.workflow).map((piece) => [piece.id, piece] as const));
  return run.attempts.flatMap((attempt) => {
    const lnUsd = lnOf(attempt.costUsd, attempt.lnPrice);
    const lnTokens = lnOf(attempt.tokens);
    if (lnUsd === undefined && lnTokens === undefined) return [];
    const planned = pieces.get(attempt.piece);
    const piece = {
      id: attempt.piece,
      role: planned?.role ?? "worker",
      width: planned?.width ?? 1,
      setting: attempt.setting,
    };
    const terms = [...attemptTerms(run.task, run.workflow, piece, attempt.round, context)];
    if (attempt.isFailed) terms.push(term(FAILED, 1));
    return [{ terms, lnUsd, usdWeight: attempt.costWeight, lnTokens, group: run.id }];
  });
}

/** Without what a list price added to it. */
function lnOf(amount: number | undefined, lnPrice = 0): number | undefined {
  return amount !== undefined && amount > 0 ? Math.log(amount) - lnPrice : undefined;
}

function scoreRows(
  all: readonly { readonly run: RunFacts; readonly context: RowContext }[],
): ReadonlyMap<string, ScoreRows> {
  const names = new Set(all.flatMap(({ run }) => run.scores.map(({ name }) => name)));
  const found = new Map<string, ScoreRows>();
  for (const name of [...names].sort()) {
    const measured = all.flatMap(({ run, context }) => {
      const score = run.scores.find((one) => one.name === name);
      return score === undefined ? [] : [{ run, context, score }];
    });
    const scale = commonest(measured.map(({ score }) => score.scale));
    const rows = measured.flatMap(({ run, context, score }) => {
      const y = transformScore(score.value, scale);
      const terms = runTerms(run.task, run.workflow, context);
      return y === undefined ? [] : [{ terms, y, weight: 1, group: run.id }];
    });
    if (rows.length < MIN_SCORE_RUNS) continue;
    const center = rows.reduce((sum, { y }) => sum + y, 0) / rows.length;
    const variance = rows.reduce((sum, { y }) => sum + (y - center) ** 2, 0) / rows.length;
    const spread = Math.sqrt(variance) || 1;
    const standardized = rows.map((row) => ({ ...row, y: (row.y - center) / spread }));
    found.set(name, { rows: standardized, scale, center, spread });
  }
  return found;
}

/** The rows of further runs for a score whose scale and unit are settled. */
export function furtherScores(
  runs: readonly RunFacts[],
  plan: RowPlan,
  name: string,
  { scale, center, spread }: Pick<ScoreRows, "scale" | "center" | "spread">,
): readonly NumberRow[] {
  const contexts = new Contexts(plan);
  return runs.flatMap((run) => {
    const score = run.scores.find((one) => one.name === name);
    const y = score === undefined ? undefined : transformScore(score.value, scale);
    if (y === undefined) return [];
    const terms = runTerms(run.task, run.workflow, contexts.of(run));
    return [{ terms, y: (y - center) / spread, weight: 1, group: run.id }];
  });
}

function commonest<T>(values: readonly T[]): T {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  if (best === undefined) throw new RangeError("nothing to count");
  return best[0];
}

/** A score on the line the model works on; undefined when it has no place there. */
export function transformScore(value: number, scale: ScoreRows["scale"]): number | undefined {
  if (scale === "linear") return value;
  if (scale === "log") return value > 0 ? Math.log(value) : undefined;
  const share = clip(value, 0.005, 0.995);
  return Math.log(share / (1 - share));
}
