import type { JsonObject } from "../core/canonical-json.ts";
import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { TaskFacts } from "../learn/index.ts";
import { candidatesOf } from "../plan/candidates.ts";
import type { Question, Recommendation } from "../plan/question.ts";
import { FEWEST_FORESEEN } from "../plan/recalibrate.ts";
import { recommend as answerQuestion } from "../plan/recommend.ts";
import type { FitState } from "../plan/stored.ts";
import { RECENT_MS } from "./current-way.ts";
import { ExitCode } from "./exit-codes.ts";
import { fitId } from "./fit-id.ts";
import { readFlags } from "./flag-values.ts";
import { readConfig } from "./home-config.ts";
import { keepRecommendation } from "./keep-recommendation.ts";
import { type Learned, learn, taskFactsOf } from "./learned.ts";
import { offersOf } from "./offers.ts";
import { planningSettings } from "./planning-settings.ts";
import {
  currentOf,
  explorationMoney,
  ruleOfFlags,
  targetNotes,
  targetOf,
  workflowFiles,
} from "./recommend-inputs.ts";
import { recommendationView } from "./recommend-view.ts";
import { taskOf } from "./run-task.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

const MIN_HORIZON = 20;

export async function runRecommend(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const answered = await answerRecommend(context, input);
  return answered.ok ? ok({ exit: ExitCode.ok, json: answered.value.json }) : answered;
}

export interface Answered {
  readonly found: Recommendation;
  readonly json: JsonObject;
  /** As it was kept; undefined when it could not be. */
  readonly kept: JsonObject | undefined;
}

/** The recommendation that the flags ask for: as itself, as it is shown, and as it is kept for who follows it. */
export async function answerRecommend(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<Answered>> {
  const flags = readFlags(input);
  const task = await taskOf(context, input, makeId("task", context.now(), context.entropy(10)));
  if (!task.ok) return task;
  const config = await readConfig(context);
  if (!config.ok) return config;
  const settings = planningSettings(config.value, input);
  if (!settings.ok) return settings;
  const rule = await ruleOfFlags(context, input);
  if (!rule.ok) return rule;
  const [priorFile, fit] = [flags.text("prior"), flags.text("fit")];
  const learned = await learn(context, {
    isWithoutPrior: flags.is("noPrior"),
    ...(fit !== undefined && { fit }),
    ...(priorFile !== undefined && { priorFile }),
  });
  if (!learned.ok) return learned;
  const facts = taskFactsOf(task.value, learned.value.features);
  const current = currentOf(config.value, learned.value, task.value, flags.text("usual"), context.now());
  const files = await workflowFiles(context, flags.texts("workflow"), learned.value, current?.id);
  if (!files.ok) return files;
  const installed = (await context.detectProviders()).flatMap(({ available, id }) => (available ? [id] : []));
  const wanted = flags
    .text("models")
    ?.split(",")
    .map((name) => name.trim());
  const { documents } = learned.value;
  const { offers, notes } = offersOf(config.value, installed, documents, wanted);
  const money = await explorationMoney(context, flags.count("budget"));
  const target = targetOf(rule.value);
  const { recalibration, costRecalibration } = await correctionsIn(learned.value, target === undefined);
  const found = answerQuestion(
    learned.value.belief,
    {
      task: facts,
      candidates: candidatesOf(documents, files.value, offers, current?.id),
      ...(current !== undefined && { currentId: current.id, isCurrentUsual: current.isUsual }),
      ...settings.value,
      ...(target !== undefined && { target }),
      ...(recalibration !== undefined && { recalibration }),
      ...(costRecalibration !== undefined && { costRecalibration }),
      ...(money.usd !== undefined && { budgetUsd: money.usd }),
      horizonRuns: horizonOf(learned.value, task.value.type, context.now()),
    },
    learned.value.month,
  );
  if (found === undefined) {
    return fail("bad-flag", "no candidate uses only the models that are offered", {
      hint: "leave --models out, or see `loopwright config get models.allowed`",
    });
  }
  const variants = await variantsOf(context, input, learned.value, facts, found);
  if (!variants.ok) return variants;
  const title = task.value.title ?? "<your goal>";
  const shown = { task: task.value, rule: rule.value, fit: fitState(learned.value), found };
  const kept = await keepRecommendation(context, shown, learned.value.documents);
  const { task: asked, rule: judged, rec = null, created_at = null } = kept.ok ? kept.value : {};
  const isBrief = flags.is("brief");
  const file = flags.text("html");
  const json: JsonObject = {
    schema: "loopwright.recommend/1",
    ok: true,
    task: asked ?? { type: task.value.type ?? null },
    rule: judged ?? rule.value.name,
    fit: fitView(learned.value),
    ...recommendationView(found, title),
    ...(isBrief && { ties: [], curve: [], explorations: [] }),
    harness_variants: variants.value,
    notes: [
      ...notes,
      ...money.notes,
      ...(recalibration === undefined
        ? []
        : [`chances are corrected by how ${recalibration.runs} earlier forecasts held`]),
      ...(costRecalibration === undefined
        ? []
        : [`ranges of costs are corrected by how ${costRecalibration.shares.length} earlier ones held`]),
      ...targetNotes(rule.value, found),
      ...horizonNotes(facts, learned.value),
      ...(kept.ok ? [] : [`this answer could not be kept: ${kept.problem.message}`]),
    ],
    show: { curve: flags.is("curve"), explore: flags.is("explore") },
    page: file ?? null,
    rec,
    created_at,
  };
  if (file !== undefined) {
    const { recommendationPage } = await import("./recommend-page.ts");
    const written = await context.files.write(file, recommendationPage(json));
    if (!written.ok) return written;
  }
  return ok({ found, json, kept: kept.ok ? kept.value : undefined });
}

/** Loaded only where there are runs enough for it. The chance of a score's target has no receipts. */
async function correctionsIn(
  { documents }: Learned,
  isOfAcceptance: boolean,
): Promise<Pick<Question, "recalibration" | "costRecalibration">> {
  if (documents.length < FEWEST_FORESEEN) return {};
  const { costRecalibrationBy, recalibrationBy } = await import("./recalibration.ts");
  const recalibration = isOfAcceptance ? recalibrationBy(documents) : undefined;
  const costRecalibration = costRecalibrationBy(documents);
  return {
    ...(recalibration !== undefined && { recalibration }),
    ...(costRecalibration !== undefined && { costRecalibration }),
  };
}

/** Loaded only where a flag asks for it. */
async function variantsOf(
  context: CommandContext,
  input: CommandInput,
  learned: Learned,
  task: TaskFacts,
  { pick }: Recommendation,
): Promise<Result<readonly JsonObject[]>> {
  if (input.flags["harness"] === undefined && input.flags["harnessVariants"] !== true) return ok([]);
  const { harnessVariants } = await import("./harness-variants.ts");
  return harnessVariants(context, input, learned, task, pick.candidate.facts);
}

/** Whether a time box is counted in, and what of it no run tells. */
function horizonNotes({ horizonS }: TaskFacts, { belief }: Learned): readonly string[] {
  if (horizonS === undefined || belief.horizon?.isTold === true) return [];
  return belief.horizon === undefined
    ? ["no run had a time box: no number counts this one in"]
    : ["what a time box changes beside its length cannot be told yet: too few runs with and without one"];
}

function fitState({ belief, prior }: Learned): FitState {
  return { id: fitId(belief), runs: belief.runs.length, priorVersion: prior?.version ?? "none" };
}

function fitView({ belief, prior }: Learned): JsonObject {
  return {
    id: fitId(belief),
    runs: belief.runs.length,
    prior_version: prior?.version ?? "none",
    prior_weight: {
      success: belief.success.priorWeight,
      gate: belief.gate.priorWeight,
      cost: belief.cost.priorWeight,
      tokens: belief.tokens.priorWeight,
    },
  };
}

function horizonOf({ rows }: Learned, type: string | undefined, nowMs: number): number {
  const recent = rows.filter(
    ({ startedAt, taskType }) => taskType === type && nowMs - Date.parse(startedAt) < RECENT_MS,
  );
  return Math.max(MIN_HORIZON, recent.length);
}
