import type { JsonObject } from "../core/canonical-json.ts";
import { makeId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import type { WorkflowFile } from "../formats/workflow/index.ts";
import { candidatesOf, type Offer } from "../plan/candidates.ts";
import type { Recommendation, RescueRule } from "../plan/question.ts";
import { recommend as answerQuestion } from "../plan/recommend.ts";
import type { FitState } from "../plan/stored.ts";
import { currentWay, RECENT_MS } from "./current-way.ts";
import { ExitCode } from "./exit-codes.ts";
import { findWorkflow } from "./find-workflow.ts";
import { readFlags } from "./flag-values.ts";
import { ruleNamed } from "./home-config.ts";
import { keepRecommendation } from "./keep-recommendation.ts";
import { fitId, type Learned, learn, taskFactsOf } from "./learned.ts";
import { recommendationView } from "./recommend-view.ts";
import { taskOf } from "./run-task.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

/** Models that are offered while the user's own say nothing, by the harness that runs them. */
const DEFAULT_MODELS: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ["claude-opus-5-5", "claude-sonnet-5", "claude-fable-5-1"],
  codex: ["gpt-6-astra", "gpt-6-sol", "gpt-6-luna"],
};
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];
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
  const rule = await ruleNamed(context, flags.text("rule"));
  if (!rule.ok) return rule;
  const priorFile = flags.text("prior");
  const learned = await learn(context, {
    isWithoutPrior: flags.is("noPrior"),
    ...(priorFile !== undefined && { priorFile }),
  });
  if (!learned.ok) return learned;
  const files = await workflowFiles(context, flags.texts("workflow"));
  if (!files.ok) return files;
  const { offers, notes } = await offersOf(context, learned.value.documents, flags.text("models"));
  const candidates = candidatesOf(learned.value.documents, files.value, offers);
  const usual = flags.text("usual");
  if (usual !== undefined && !candidates.some(({ id }) => id === usual)) {
    return fail("no-such-configuration", `no run or workflow here has the configuration ${usual}`);
  }
  const current =
    usual === undefined
      ? currentWay(learned.value.rows, task.value.type, task.value.repo, context.now())
      : { id: usual, isUsual: false };
  const goal = flags.text("goal");
  const budgetUsd = usdOf(flags.count("budget"));
  const found = answerQuestion(
    learned.value.belief,
    {
      task: taskFactsOf(task.value),
      candidates,
      ...(current !== undefined && { currentId: current.id, isCurrentUsual: current.isUsual }),
      rescue: rescueRule(input),
      ...(goal !== undefined && { goalProb: Number(goal.slice(1)) / 100 }),
      ...(budgetUsd !== undefined && { budgetUsd }),
      horizonRuns: horizonOf(learned.value, task.value.type, context.now()),
    },
    learned.value.month,
  );
  if (found === undefined) {
    return fail("bad-flag", "no candidate uses only the models you named", { hint: "leave --models out" });
  }
  const title = task.value.title ?? "<your goal>";
  const shown = { task: task.value, rule: rule.value, fit: fitState(learned.value), found };
  const kept = await keepRecommendation(context, shown, learned.value.documents);
  const { task: asked, rule: judged, rec = null, created_at = null } = kept.ok ? kept.value : {};
  const isBrief = flags.is("brief");
  const json: JsonObject = {
    schema: "loopwright.recommend/1",
    ok: true,
    task: asked ?? { type: task.value.type ?? null },
    rule: judged ?? rule.value.name,
    fit: fitView(learned.value),
    ...recommendationView(found, title),
    ...(isBrief && { ties: [], curve: [], explorations: [] }),
    notes: [...notes, ...(kept.ok ? [] : [`this answer could not be kept: ${kept.problem.message}`])],
    show: { curve: flags.is("curve"), explore: flags.is("explore") },
    rec,
    created_at,
  };
  return ok({ found, json, kept: kept.ok ? kept.value : undefined });
}

function fitState({ belief, prior }: Learned): FitState {
  return { id: fitId(belief), runs: belief.runs.length, priorVersion: prior?.version ?? "none" };
}

/** Flags of money are in micro-dollars. */
function usdOf(microUsd: number | undefined): number | undefined {
  return microUsd === undefined ? undefined : microUsd / 1e6;
}

function rescueRule(input: CommandInput): RescueRule {
  const flags = readFlags(input);
  const usd = usdOf(flags.count("rescueUsd"));
  if (usd !== undefined) return { kind: "fixed", usd };
  return { kind: flags.text("rescue") === "redo_usual" ? "redo_usual" : "retry" };
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

async function workflowFiles(
  context: CommandContext,
  names: readonly string[],
): Promise<Result<readonly WorkflowFile[]>> {
  const files: WorkflowFile[] = [];
  for (const name of names) {
    const found = await findWorkflow(context, name);
    if (!found.ok) return found;
    files.push(found.value.file);
  }
  return ok(files);
}

/** What can be run here: installed harnesses with their usual models and those that the runs used. */
async function offersOf(
  context: CommandContext,
  documents: readonly OcpDocument[],
  only: string | undefined,
): Promise<{ readonly offers: readonly Offer[]; readonly notes: readonly string[] }> {
  const installed = (await context.detectProviders())
    .filter(({ available }) => available)
    .map(({ id }) => id);
  const known = Object.keys(DEFAULT_MODELS);
  const present = known.filter((harness) => installed.includes(harness));
  const harnesses = present.length > 0 ? present : known;
  const models = new Map<string, string>();
  for (const harness of harnesses)
    for (const model of DEFAULT_MODELS[harness] ?? []) models.set(model, harness);
  for (const { attempts } of documents) {
    for (const { harness, model } of attempts ?? []) {
      if (harness !== undefined && model?.id !== undefined && harnesses.includes(harness)) {
        models.set(model.id, harness);
      }
    }
  }
  const wanted = only?.split(",").map((name) => name.trim());
  const offers = [...models]
    .filter(([model]) => wanted === undefined || wanted.includes(model))
    .map(([model, harness]) => ({ harness, model, efforts: EFFORTS }));
  const notes = present.length > 0 ? [] : [`no agent was found here (looked for ${known.join(", ")})`];
  return { offers, notes };
}

function horizonOf({ rows }: Learned, type: string | undefined, nowMs: number): number {
  const recent = rows.filter(
    ({ startedAt, taskType }) => taskType === type && nowMs - Date.parse(startedAt) < RECENT_MS,
  );
  return Math.max(MIN_HORIZON, recent.length);
}
