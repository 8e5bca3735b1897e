import type { JsonObject } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import type { WorkflowFile } from "../formats/workflow/index.ts";
import { candidatesOf, type Offer } from "../plan/candidates.ts";
import type { Recommendation, RescueRule } from "../plan/question.ts";
import { recommend as answerQuestion } from "../plan/recommend.ts";
import { ExitCode } from "./exit-codes.ts";
import { findWorkflow } from "./find-workflow.ts";
import { readFlags } from "./flag-values.ts";
import { type Learned, learn, taskFactsOf } from "./learned.ts";
import { recommendationView } from "./recommend-view.ts";
import { taskOf } from "./run-task.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

/** Models that are offered while the user's own say nothing, by the harness that runs them. */
const DEFAULT_MODELS: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ["claude-opus-5-5", "claude-sonnet-5", "claude-fable-5-1"],
  codex: ["gpt-6-astra", "gpt-6-sol", "gpt-6-luna"],
};
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];
const RECENT_MS = 90 * 24 * 3_600_000;
const MIN_HORIZON = 20;

export async function runRecommend(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const answered = await answerRecommend(context, input);
  return answered.ok ? ok({ exit: ExitCode.ok, json: answered.value.json }) : answered;
}

/** The recommendation that the flags ask for, as itself and as it is shown. */
export async function answerRecommend(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<{ readonly found: Recommendation; readonly json: JsonObject }>> {
  const flags = readFlags(input);
  const task = await taskOf(context, input, "tsk_question");
  if (!task.ok) return task;
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
  const currentId = usual ?? usualOf(learned.value, task.value.type, task.value.repo, context.now());
  const goal = flags.text("goal");
  const budgetUsd = flags.count("budget");
  const found = answerQuestion(
    learned.value.belief,
    {
      task: taskFactsOf(task.value),
      candidates,
      ...(currentId !== undefined && { currentId }),
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
  const view = recommendationView(found, title);
  const isBrief = flags.is("brief");
  const json: JsonObject = {
    schema: "loopwright.recommend/1",
    ok: true,
    task: { type: task.value.type ?? null, repo: task.value.repo ?? null, title },
    fit: fitView(learned.value),
    ...view,
    ...(isBrief && { ties: [], curve: [], explorations: [] }),
    notes,
    show: { curve: flags.is("curve"), explore: flags.is("explore") },
  };
  return ok({ found, json });
}

function rescueRule(input: CommandInput): RescueRule {
  const flags = readFlags(input);
  const usd = flags.count("rescueUsd");
  if (usd !== undefined) return { kind: "fixed", usd };
  return { kind: flags.text("rescue") === "redo_usual" ? "redo_usual" : "retry" };
}

function fitView({ belief, prior }: Learned): JsonObject {
  return {
    id: `fit_${sha256(belief.fingerprint).slice(0, 12)}`,
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

/** The configuration of most runs of this kind in the last 90 days; of equals the one that got there first. */
function usualOf(
  { rows }: Learned,
  type: string | undefined,
  repo: string | undefined,
  nowMs: number,
): string | undefined {
  const recent = rows.filter(({ startedAt }) => nowMs - Date.parse(startedAt) < RECENT_MS);
  const alike = recent.filter((row) => row.taskType === type);
  const here = alike.filter((row) => row.repo === repo);
  const [pool = []] = [here, alike, recent].filter((list) => list.length > 0);
  const counts = new Map<string, { count: number; since: string }>();
  for (const { configuration, startedAt } of pool) {
    if (configuration === undefined) continue;
    const known = counts.get(configuration);
    counts.set(configuration, { count: (known?.count ?? 0) + 1, since: known?.since ?? startedAt });
  }
  const [best] = [...counts].sort(
    ([, a], [, b]) => b.count - a.count || (a.since < b.since ? -1 : a.since > b.since ? 1 : 0),
  );
  return best?.[0];
}

function horizonOf({ rows }: Learned, type: string | undefined, nowMs: number): number {
  const recent = rows.filter(
    ({ startedAt, taskType }) => taskType === type && nowMs - Date.parse(startedAt) < RECENT_MS,
  );
  return Math.max(MIN_HORIZON, recent.length);
}
