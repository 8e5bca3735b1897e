import type { Belief, TaskFacts } from "../learn/index.ts";
import { at } from "../learn/kernels/vector.ts";
import { type Candidate, nameOf } from "./candidates.ts";
import { frontOf, frontProb } from "./curve.ts";
import { explorationGains, outlook } from "./explore.ts";
import { type Prediction, Predictor } from "./predict.ts";
import { type Rescue, retryRescue } from "./rescue.ts";
import { difference, mean, median, type Summary, summarize } from "./summary.ts";

/** How a miss is priced. */
export type RescueRule =
  | { readonly kind: "retry" }
  | { readonly kind: "redo_usual" }
  | { readonly kind: "fixed"; readonly usd: number };

export interface Question {
  readonly task: TaskFacts;
  readonly candidates: readonly Candidate[];
  /** The configuration that the user runs now. */
  readonly currentId?: string;
  readonly rescue: RescueRule;
  /** Ask for at least this chance, 0 to 1. */
  readonly goalProb?: number;
  /** Exploration that costs more than this is not suggested. */
  readonly budgetUsd?: number;
  /** Runs over which an exploration must pay. */
  readonly horizonRuns: number;
}

export interface Choice {
  readonly candidate: Candidate;
  readonly name: string;
  readonly success: Summary;
  /** False where the range is so wide that a chance would say nothing. */
  readonly isChanceKnown: boolean;
  readonly costUsd: Summary;
  readonly runUsd: Summary;
  readonly runMedianUsd: number;
  readonly tokens: Summary;
  readonly rounds: number;
  /** Expected dollars of a run with its rescue. */
  readonly lossUsd: number;
  readonly support: Prediction["support"];
}

export interface ExplorationPick {
  readonly choice: Choice;
  readonly runs: number;
  readonly gainUsd: number;
  /** One-time price of those runs in place of the usual ones. */
  readonly priceUsd: number;
  readonly pairUsd: number;
  readonly paybackRuns: number;
  readonly beatsProb: number;
}

export type PickReason =
  | "cheapest-without-a-chance"
  | "lowest-loss"
  | "reaches-the-goal"
  | "most-likely"
  | "current-kept"
  | "saves-more-than-noise";

export interface Recommendation {
  readonly pick: Choice;
  readonly reason: PickReason;
  /** What the pick is measured against: what the user runs now. */
  readonly current: Choice | undefined;
  readonly saving: { readonly usd: number; readonly sd: number; readonly prob: number } | undefined;
  readonly ties: readonly Choice[];
  readonly curve: readonly (Choice & { readonly frontProb: number })[];
  readonly explorations: readonly ExplorationPick[];
  /** The two runs that would teach most. */
  readonly pair: readonly [Choice, Choice] | undefined;
  readonly rescue: Rescue;
  readonly considered: number;
}

/** A wider range of belief than this is no statement about a chance. */
const KNOWN_WIDTH = 0.5;
const KEPT = 32;
const SCREEN_DRAWS = 64;
const MAX_CURVE = 12;
const EXPLORED = 12;
const RIVALS = 32;
/** A rival whose saving is smaller than this share of its noise is a tie. */
const TIE = 0.25;
/** Moving away from what runs now takes a saving that is this sure. Its mean alone jumps with rare large costs. */
const SURE = 0.8;

interface Standing {
  readonly candidate: Candidate;
  readonly prediction: Prediction;
  readonly success: Float64Array;
  readonly costUsd: Float64Array;
  readonly successMean: number;
  readonly costMean: number;
  readonly loss: Float64Array;
  readonly lossMean: number;
  readonly isChanceKnown: boolean;
}

/** Answers a question from a belief; undefined without candidates. Equal questions get equal answers. */
export function recommend(belief: Belief, question: Question, month: number): Recommendation | undefined {
  const predictor = new Predictor(belief, month);
  const predicted = screened(belief, question, month).map((candidate) => ({
    candidate,
    prediction: predictor.predict(question.task, candidate.facts),
  }));
  const choiceOf = (standing: Standing) => choice(predictor, question.task, standing);
  const rescue = rescueOf(predicted, question);
  const standings = predicted
    .map((one) => standingOf(one.candidate, one.prediction, rescue.usd))
    .sort((a, b) => a.lossMean - b.lossMean || (a.candidate.id < b.candidate.id ? -1 : 1));
  const current = find(standings, question.currentId);
  const picked = pickOf(standings, current, question.goalProb);
  if (picked === undefined) return undefined;
  const { pick, reason } = picked;
  const explorations = !pick.isChanceKnown
    ? []
    : explorationsOf(standings, pick, rescue, belief, question, choiceOf);
  const taught = explorations[0]?.choice ?? teacherOf(standings, pick).map(choiceOf)[0];
  const saving = current === undefined ? undefined : difference(current.loss, pick.loss);
  return {
    pick: choiceOf(pick),
    reason,
    current: current === undefined ? undefined : choiceOf(current),
    saving: saving && { usd: saving.mean, sd: saving.sd, prob: saving.positiveProb },
    ties: tiesOf(standings, pick).map(choiceOf),
    curve: curveOf(standings, choiceOf),
    explorations,
    pair: taught === undefined ? undefined : [choiceOf(pick), taught],
    rescue,
    considered: standings.length,
  };
}

/** Ids are worked out when asked for: nobody asks without a configuration to look for. */
function find<T extends { readonly candidate: Candidate }>(
  list: readonly T[],
  id: string | undefined,
): T | undefined {
  return id === undefined ? undefined : list.find(({ candidate }) => candidate.id === id);
}

function standingOf(candidate: Candidate, prediction: Prediction, rescueUsd: number): Standing {
  const { success, costUsd } = prediction;
  const loss = costUsd.map((usd, d) => usd + (1 - at(success, d)) * rescueUsd);
  const range = summarize(success);
  return {
    candidate,
    prediction,
    success,
    costUsd,
    successMean: mean(success),
    costMean: mean(costUsd),
    loss,
    lossMean: mean(loss),
    isChanceKnown: range.hi - range.lo < KNOWN_WIDTH,
  };
}

/** With many candidates, those that a few draws leave standing: cheap, promising, on the front, or the user's own. */
function screened(belief: Belief, question: Question, month: number): readonly Candidate[] {
  const { candidates, task, currentId } = question;
  if (candidates.length <= KEPT) return candidates;
  const predictor = new Predictor(belief, month, SCREEN_DRAWS);
  const predicted = candidates.map((candidate) => ({
    candidate,
    prediction: predictor.predict(task, candidate.facts),
  }));
  const { usd } = rescueOf(predicted, question);
  const rough = predicted.map(({ candidate, prediction }) => standingOf(candidate, prediction, usd));
  const kept = new Set<Standing>([find(rough, currentId)].filter((one) => one !== undefined));
  for (const index of frontOf(rough)) for (const one of rough.slice(index, index + 1)) kept.add(one);
  for (const one of rough.filter(({ candidate }) => candidate.origin !== "catalogue").slice(0, KEPT / 2)) {
    kept.add(one);
  }
  for (const one of [...rough].sort((a, b) => a.costMean - b.costMean).slice(0, 5)) kept.add(one);
  for (const one of [...rough].sort((a, b) => a.lossMean - b.lossMean)) if (kept.size < KEPT) kept.add(one);
  return [...kept].map(({ candidate }) => candidate);
}

function choice(predictor: Predictor, task: TaskFacts, standing: Standing): Choice {
  const { candidate, prediction } = standing;
  const runUsd = predictor.simulate(task, candidate.facts, prediction.success);
  return {
    candidate,
    name: nameOf(candidate),
    success: summarize(prediction.success),
    isChanceKnown: standing.isChanceKnown,
    costUsd: summarize(prediction.costUsd),
    runUsd: summarize(runUsd),
    runMedianUsd: median(runUsd),
    tokens: summarize(predictor.tokens(task, candidate.facts, prediction.success)),
    rounds: mean(prediction.rounds),
    lossUsd: standing.lossMean,
    support: prediction.support,
  };
}

/** The workflow that puts a miss right: the cheapest with a fair chance, else the most likely one. */
function rescueOf(
  predicted: readonly { readonly candidate: Candidate; readonly prediction: Prediction }[],
  { rescue, currentId }: Question,
): Rescue {
  if (rescue.kind === "fixed") return { usd: rescue.usd, acceptedProb: 1 };
  const rated = predicted.map(({ candidate, prediction }) => ({
    candidate,
    prediction,
    chance: mean(prediction.success),
    cost: mean(prediction.costUsd),
  }));
  const usual = find(rated, currentId);
  if (rescue.kind === "redo_usual" && usual !== undefined) {
    return { usd: usual.cost / Math.max(usual.chance, 0.05), acceptedProb: 1 };
  }
  const fair = rated.filter(({ chance }) => chance >= 0.7).sort((a, b) => a.cost - b.cost);
  const likely = [...rated].sort((a, b) => b.chance - a.chance);
  const best = fair[0] ?? likely[0];
  return best === undefined
    ? { usd: 0, acceptedProb: 0 }
    : retryRescue(best.prediction.success, best.prediction.costUsd);
}

function pickOf(
  standings: readonly Standing[],
  current: Standing | undefined,
  goalProb: number | undefined,
): { readonly pick: Standing; readonly reason: PickReason } | undefined {
  const byCost = [...standings].sort((a, b) => a.costMean - b.costMean);
  const known = standings.filter(({ isChanceKnown }) => isChanceKnown);
  const cheapest = byCost[0];
  const [best] = known;
  if (cheapest === undefined) return undefined;
  if (best === undefined) return { pick: cheapest, reason: "cheapest-without-a-chance" };
  if (goalProb !== undefined) {
    const reaching = known.filter(({ successMean }) => successMean >= goalProb);
    const [first] = [...reaching].sort((a, b) => a.costMean - b.costMean);
    if (first !== undefined) return { pick: first, reason: "reaches-the-goal" };
    const likely = [...known].sort((a, b) => b.successMean - a.successMean)[0];
    return { pick: likely ?? best, reason: "most-likely" };
  }
  if (current === undefined) return { pick: best, reason: "lowest-loss" };
  if (current === best) return { pick: best, reason: "current-kept" };
  const saving = difference(current.loss, best.loss);
  return saving.mean > 0 && saving.positiveProb >= SURE
    ? { pick: best, reason: "saves-more-than-noise" }
    : { pick: current, reason: "current-kept" };
}

/** Candidates that cannot be told from the pick. */
function tiesOf(standings: readonly Standing[], pick: Standing): readonly Standing[] {
  return standings
    .filter((other) => {
      if (other === pick || !other.isChanceKnown) return false;
      const gap = difference(other.loss, pick.loss);
      return Math.abs(gap.mean) < TIE * gap.sd;
    })
    .slice(0, 5);
}

function curveOf(
  standings: readonly Standing[],
  choiceOf: (standing: Standing) => Choice,
): Recommendation["curve"] {
  const near = standings.slice(0, RIVALS);
  const front = frontOf(near);
  return near
    .map((standing, index) => ({ standing, index, prob: frontProb(near, index) }))
    .filter(({ index, prob }) => front.includes(index) || prob >= 0.1)
    .sort((a, b) => b.prob - a.prob)
    .slice(0, MAX_CURVE)
    .sort((a, b) => a.standing.costMean - b.standing.costMean)
    .map(({ standing, prob }) => ({ ...choiceOf(standing), frontProb: prob }));
}

/** The best payback, and the best among candidates of another shape or model family. */
function explorationsOf(
  standings: readonly Standing[],
  pick: Standing,
  rescue: Rescue,
  belief: Belief,
  question: Question,
  choiceOf: (standing: Standing) => Choice,
): readonly ExplorationPick[] {
  if (!Number.isFinite(rescue.usd)) return [];
  const rivals = [pick, ...standings.filter((one) => one !== pick)].slice(0, RIVALS);
  const outlooks = rivals.map(({ success, costUsd }) => outlook(success, costUsd));
  const noise = noiseOf(belief);
  const picks = rivals
    .slice(1, EXPLORED + 1)
    .flatMap((rival, i) => {
      const extra = Math.max(0, rival.lossMean - pick.lossMean);
      const options = explorationGains(outlooks, i + 1, rescue.usd, noise)
        .filter(({ gainUsd }) => gainUsd > 0.01 * pick.lossMean)
        .map(({ batch, gainUsd }) => ({
          rival,
          batch,
          gainUsd,
          priceUsd: batch * extra,
          paybackRuns: Math.max(1, Math.ceil((batch * extra) / gainUsd)),
        }));
      const [best] = options.sort((a, b) => a.paybackRuns - b.paybackRuns || b.gainUsd - a.gainUsd);
      return best === undefined ? [] : [best];
    })
    .filter(({ paybackRuns, rival, batch }) => {
      const spend = batch * rival.costMean;
      return paybackRuns <= question.horizonRuns && spend <= (question.budgetUsd ?? Number.POSITIVE_INFINITY);
    })
    .sort((a, b) => a.paybackRuns - b.paybackRuns || b.gainUsd - a.gainUsd);
  const [first] = picks;
  const second = picks.find(({ rival }) => first !== undefined && isUnlike(rival, first.rival));
  return [first, second].flatMap((one) => {
    if (one === undefined) return [];
    const { rival, batch, gainUsd, priceUsd, paybackRuns } = one;
    return [
      {
        choice: choiceOf(rival),
        runs: batch,
        gainUsd,
        priceUsd,
        pairUsd: batch * (rival.costMean + pick.costMean),
        paybackRuns,
        beatsProb: difference(pick.loss, rival.loss).positiveProb,
      },
    ];
  });
}

function isUnlike(a: Standing, b: Standing): boolean {
  const models = ({ candidate }: Standing) =>
    candidate.facts.pieces.map(({ setting }) => setting.model ?? "").join(",");
  return a.candidate.facts.shape !== b.candidate.facts.shape || models(a) !== models(b);
}

/** Variance of one run's ln cost around its expectation. */
function noiseOf(belief: Belief): number {
  const total = belief.cost.points.reduce((sum, { weight }) => sum + weight, 0);
  return (
    belief.cost.points.reduce(
      (sum, { weight, sigma, omega }) => sum + weight * (sigma ** 2 + omega ** 2),
      0,
    ) / Math.max(1e-9, total)
  );
}

/** Without a gain that pays: the rival whose standing against the pick is least certain for its money. */
function teacherOf(standings: readonly Standing[], pick: Standing): readonly Standing[] {
  const rivals = standings.filter((one) => one !== pick).slice(0, RIVALS);
  const rated = rivals.map((rival) => ({
    rival,
    worth: difference(pick.success, rival.success).sd / Math.max(rival.costMean, 1e-6) ** 0.5,
  }));
  return rated
    .sort((a, b) => b.worth - a.worth)
    .slice(0, 1)
    .map(({ rival }) => rival);
}
