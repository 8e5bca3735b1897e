import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { toOcpSettings, toOcpWorkflow } from "../formats/workflow/index.ts";
import { type EffectView, effectView, type HeadBelief, partEffects, workflowFacts } from "../learn/index.ts";
import { logistic, logit } from "../learn/kernels/normal.ts";
import { clip } from "../learn/kernels/vector.ts";
import { groupOf, runTerms } from "../learn/rows/terms.ts";
import { ExitCode } from "./exit-codes.ts";
import { findWorkflow } from "./find-workflow.ts";
import { fitId } from "./fit-id.ts";
import { readFlags } from "./flag-values.ts";
import { type FitOptions, headsOf, type Learned, learn } from "./learned.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

function fitOptions(input: CommandInput): FitOptions {
  const flags = readFlags(input);
  const priorFile = flags.text("prior");
  return {
    isWithoutPrior: flags.is("noPrior"),
    without: flags.texts("without"),
    ...(priorFile !== undefined && { priorFile }),
  };
}

function done(json: JsonObject): Result<CommandOutput> {
  return ok({ exit: ExitCode.ok, json });
}

export async function runFit(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const learned = await learn(context, fitOptions(input));
  if (!learned.ok) return learned;
  const { belief, prior } = learned.value;
  const sources = new Map<string, number>();
  for (const { source } of belief.runs) sources.set(source, (sources.get(source) ?? 0) + 1);
  return done({
    schema: "loopwright.fit/1",
    ok: true,
    fit: fitId(belief),
    runs: belief.runs.length,
    prior_version: prior?.version ?? "none",
    heads: headsOf(belief).map(([head, { rows, nodes, points, priorWeight }]) => ({
      head,
      rows,
      effects: nodes.ids.length,
      scale_points: points.length,
      prior_weight: priorWeight,
    })),
    scores: [...belief.scores.keys()],
    sources: Object.fromEntries(sources),
    zero_cost_attempts: belief.zeroCostAttempts,
    unknown_cost_attempts: belief.unknownCostAttempts,
    parts_not_estimated: belief.parts.notEstimated.map(({ part, why }) => ({ part, why })),
  });
}

export async function runPosterior(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const learned = await learn(context, fitOptions(input));
  if (!learned.ok) return learned;
  const name = flags.text("head") ?? "success";
  const head = headsOf(learned.value.belief).find(([known]) => known === name)?.[1];
  if (head === undefined) return fail("bad-flag", `there is no head "${name}"`);
  const wanted = await nodesOfWorkflow(context, flags.text("workflow"));
  if (!wanted.ok) return wanted;
  const level = input.args[0];
  const isShown = (node: string) =>
    (level === undefined || groupOf(node) === level || groupOf(node) === `feature:${level}`) &&
    (wanted.value === undefined || wanted.value.has(node));
  const at = name === "success" ? meanChance(learned.value) : undefined;
  const parts = partEffects(head);
  const effects = head.nodes.ids.filter(isShown).map((node) => {
    const view = parts.get(node) ?? effectView(head, [[node, 1]]);
    return { ...effectJson(node, view, head), ...unitsOf(view, head, at) };
  });
  if (effects.length === 0 && level !== undefined) {
    const levels = [...new Set(head.nodes.ids.map(groupOf))];
    return fail("bad-flag", `your runs say nothing about "${level}"`, {
      hint: `levels: ${levels.join(", ") || "none yet"}`,
    });
  }
  return done({
    schema: "loopwright.posterior/1",
    ok: true,
    head: name,
    unit: head.kind === "binary" ? "log-odds" : name === "cost" ? "ln usd" : "ln tokens",
    at: at ?? null,
    effects,
  });
}

/** The effects that a workflow's runs have; undefined when none was named. */
async function nodesOfWorkflow(
  context: CommandContext,
  name: string | undefined,
): Promise<Result<ReadonlySet<string> | undefined>> {
  if (name === undefined) return ok(undefined);
  const found = await findWorkflow(context, name);
  if (!found.ok) return found;
  const { workflow, settings } = found.value.file;
  const facts = workflowFacts({ workflow: toOcpWorkflow(workflow), settings: toOcpSettings(settings) });
  if (facts === undefined) return ok(new Set<string>());
  const row = { source: "user", hasTask: () => false, drift: () => [], parts: [] };
  return ok(new Set(runTerms({ type: "", features: new Map() }, facts, row).map(([node]) => node)));
}

/** The share of accepted runs, as the place where effects are turned into points. */
function meanChance({ belief }: Learned): number | undefined {
  const decided = belief.runs.flatMap(({ verdict }) => (verdict === undefined ? [] : [verdict.isAccepted]));
  const accepted = decided.filter((isAccepted) => isAccepted).length;
  return decided.length === 0 ? undefined : clip((accepted + 0.5) / (decided.length + 1), 0.05, 0.95);
}

function effectJson(node: string, view: EffectView, head: HeadBelief): JsonObject {
  const { range } = view;
  return {
    node,
    level: groupOf(node),
    mean: view.mean,
    belief: { ...view.belief, level: 0.8, range_kind: "belief" },
    range:
      range === undefined
        ? null
        : {
            ...range.range80,
            lo95: range.range95.lo,
            hi95: range.range95.hi,
            level: 0.8,
            range_kind: "any_size",
          },
    not_identified: range === undefined,
    pulled: range?.isPulled ?? false,
    above_zero_prob: view.aboveZeroProb,
    zero_prob: view.zeroProb ?? null,
    rows: head.rows,
  };
}

function unitsOf(view: EffectView, head: HeadBelief, at: number | undefined): JsonObject {
  const shown = (f: (effect: number) => number) => ({
    mean: f(view.mean),
    lo: view.range === undefined ? null : f(view.range.range80.lo),
    hi: view.range === undefined ? null : f(view.range.range80.hi),
  });
  if (head.kind === "number") return { points: null, ratio: shown(Math.exp) };
  const points = (effect: number) => 100 * (logistic(logit(at ?? 0.5) + effect) - (at ?? 0.5));
  return { points: at === undefined ? null : shown(points), ratio: null };
}

export async function runPrior(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const learned = await learn(context, fitOptions(input));
  if (!learned.ok) return learned;
  const { prior, belief } = learned.value;
  const shown = flags.text("head");
  const weights = new Map(headsOf(belief).map(([name, head]) => [name, head.priorWeight] as const));
  const heads = Object.entries(prior?.heads ?? {});
  return done({
    schema: "loopwright.prior/1",
    ok: true,
    version: prior?.version ?? "none",
    design_version: prior?.design_version ?? 0,
    heads: heads.map(([head, { nodes }]) => ({
      head,
      effects: nodes.length,
      figures: nodes.filter(({ runs }) => runs > 0).length,
      weight: weights.get(head) ?? 0,
    })),
    effects: heads
      .filter(([head]) => head === shown)
      .flatMap(([, { nodes }]) =>
        nodes.map(({ id, mean, sd, runs }) => ({ node: id, mean, sd, figures: runs })),
      ),
    built_by: "scripts/build-prior.mjs from scripts/prior/figures.json, one source link per row",
    source: flags.text("prior") ?? null,
  });
}
