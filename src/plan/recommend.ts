import type { Belief } from "../learn/index.ts";
import { type Candidate, nameOf } from "./candidates.ts";
import { frontOf, frontProb } from "./curve.ts";
import { explorationsOf, RIVALS, teacherOf } from "./exploration-picks.ts";
import { forecastOf } from "./forecast.ts";
import { optionsOf } from "./options.ts";
import { pickOf, tiesOf } from "./pick.ts";
import { type Outline, Predictor } from "./predict.ts";
import type { Choice, Question, Recommendation, RescueRule } from "./question.ts";
import { recalibrated } from "./recalibrate.ts";
import { recalibratedCosts } from "./recalibrate-cost.ts";
import { type Rescue, retryRescue } from "./rescue.ts";
import { find, type Sketch, type Standing, sketchOf, standingOf } from "./standing.ts";
import { difference, mean, median, summarize } from "./summary.ts";

const KEPT = 32;
const SCREEN_DRAWS = 64;
const MAX_CURVE = 12;

/** Answers a question from a belief; undefined without candidates. Equal questions get equal answers. */
export function recommend(belief: Belief, question: Question, month: number): Recommendation | undefined {
  const predictor = new Predictor(belief, month);
  const predicted = predictAll(predictor, screened(belief, question, month), question, ({ facts }) =>
    predictor.predict(question.task, facts),
  );
  const choices = new Map<Standing, Choice>();
  const choiceOf = (standing: Standing): Choice => {
    const made = choices.get(standing) ?? choice(predictor, question, standing);
    choices.set(standing, made);
    return made;
  };
  const rescue = rescueOf(predicted, question);
  const standings = predicted
    .map((one) => standingOf(one.candidate, one.prediction, rescue.usd, one.success))
    .sort((a, b) => a.lossMean - b.lossMean || (a.candidate.id < b.candidate.id ? -1 : 1));
  const current = find(standings, question.currentId);
  const picked = pickOf(standings, current, question.goalProb);
  if (picked === undefined) return undefined;
  const { pick, reason } = picked;
  const offered = standings.filter(({ candidate }) => !candidate.isRetired);
  const explorations = !pick.isChanceKnown
    ? []
    : explorationsOf(offered, pick, rescue, belief, question, choiceOf);
  const taught = explorations[0]?.choice ?? teacherOf(offered, pick).map(choiceOf)[0];
  const saving = current === undefined ? undefined : difference(current.loss, pick.loss);
  const picks = { pick: choiceOf(pick), current: current && choiceOf(current) };
  const curve = curveOf(offered, choiceOf);
  const options = optionsOf(
    { ...picks, isCurrentUsual: question.isCurrentUsual ?? false, taught, curve },
    ({ candidate }) => {
      const { prediction, success } = standings.find((one) => one.candidate === candidate) ?? pick;
      const forecast = forecastOf(
        predictor,
        question.task,
        candidate.facts,
        prediction,
        question.costRecalibration,
      );
      const isCorrected = question.recalibration !== undefined;
      return {
        ...forecast,
        success: summarize(success),
        ...(isCorrected && { uncorrectedProb: forecast.success.mean }),
      };
    },
  );
  return {
    ...picks,
    reason,
    saving: saving && {
      usd: saving.mean,
      medianUsd: saving.median,
      sd: saving.sd,
      prob: saving.positiveProb,
    },
    ties: tiesOf(standings, pick).map(choiceOf),
    curve,
    explorations,
    pair: taught === undefined ? undefined : [picks.pick, taught],
    rescue,
    successFrom: predicted.some(({ isReach }) => isReach) ? "score_head" : "success_head",
    options,
    considered: standings.length,
  };
}

interface Predicted<P extends Outline> {
  readonly candidate: Candidate;
  readonly prediction: P;
  /** The chance that counts, draw by draw. */
  readonly success: Float64Array;
  /** It is one of a score that reaches its target. */
  readonly isReach: boolean;
}

function predictAll<P extends Outline>(
  predictor: Predictor,
  candidates: readonly Candidate[],
  { task, target, recalibration }: Question,
  predict: (candidate: Candidate) => P,
): readonly Predicted<P>[] {
  const corrected = (success: Float64Array) =>
    recalibration === undefined ? success : success.map((prob) => recalibrated(prob, recalibration));
  return candidates.map((candidate) => {
    const prediction = predict(candidate);
    const reach = target === undefined ? undefined : predictor.reach(task, candidate.facts, target);
    return {
      candidate,
      prediction,
      success: reach ?? corrected(prediction.success),
      isReach: reach !== undefined,
    };
  });
}

/** With many candidates, those that a few draws leave standing: cheap, promising, on the front, or the user's own. */
function screened(belief: Belief, question: Question, month: number): readonly Candidate[] {
  const { candidates, currentId } = question;
  if (candidates.length <= KEPT) return candidates;
  const predictor = new Predictor(belief, month, SCREEN_DRAWS);
  const predicted = predictAll(predictor, candidates, question, ({ facts }) =>
    predictor.outline(question.task, facts),
  );
  const { usd } = rescueOf(predicted, question);
  const rough = predicted.map((one) => sketchOf(one.candidate, one.prediction, usd, one.success));
  const kept = new Set<Sketch>([find(rough, currentId)].filter((one) => one !== undefined));
  for (const index of frontOf(rough)) for (const one of rough.slice(index, index + 1)) kept.add(one);
  for (const one of rough.filter(({ candidate }) => candidate.origin !== "catalogue").slice(0, KEPT / 2)) {
    kept.add(one);
  }
  for (const one of [...rough].sort((a, b) => a.costMean - b.costMean).slice(0, 5)) kept.add(one);
  for (const one of [...rough].sort((a, b) => a.lossMean - b.lossMean)) if (kept.size < KEPT) kept.add(one);
  return [...kept].map(({ candidate }) => candidate);
}

function choice(
  predictor: Predictor,
  { task, costRecalibration }: Question,
  { candidate, prediction, ...standing }: Standing,
): Choice {
  const foretold = predictor.simulate("cost", task, candidate.facts, prediction.success);
  const runUsd = costRecalibration === undefined ? foretold : recalibratedCosts(foretold, costRecalibration);
  return {
    candidate,
    name: nameOf(candidate),
    success: summarize(standing.success),
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
function rescueOf(predicted: readonly Predicted<Outline>[], { rescue, currentId }: Question): Rescue {
  if (rescue.kind === "fixed") return { usd: rescue.usd, acceptedProb: 1 };
  const rated = predicted.map(({ candidate, prediction, success }) => ({
    candidate,
    success,
    costUsd: prediction.costUsd,
    chance: mean(success),
    cost: mean(prediction.costUsd),
  }));
  const usual = find(rated, currentId);
  if (rescue.kind === "redo_usual" && usual !== undefined) {
    return { usd: usual.cost / Math.max(usual.chance, 0.05), acceptedProb: 1 };
  }
  const { attempts, minProb = 0.7, decay } = retryOf(rescue);
  const offered = rated.filter(({ candidate }) => !candidate.isRetired);
  const fair = offered.filter(({ chance }) => chance >= minProb).sort((a, b) => a.cost - b.cost);
  const likely = [...offered].sort((a, b) => b.chance - a.chance);
  const best = fair[0] ?? likely[0];
  return best === undefined
    ? { usd: 0, acceptedProb: 0 }
    : retryRescue(
        best.success,
        best.costUsd,
        attempts,
        decay === undefined ? undefined : { first: decay, later: decay },
      );
}

/** Without a usual way to redo it, a miss is put right by running again. */
function retryOf(rescue: RescueRule): Extract<RescueRule, { readonly kind: "retry" }> {
  return rescue.kind === "retry" ? rescue : { kind: "retry" };
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
