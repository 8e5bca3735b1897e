import { byCodePoint } from "../core/canonical-json.ts";
import type { Belief, PartFacts, RunFacts, TaskFacts, WorkflowFacts } from "../learn/index.ts";
import { agentPieces, type Term } from "../learn/rows/terms.ts";
import { DRAWS, Predictor } from "./predict.ts";
import { mean, type Summary, summarize } from "./summary.ts";

/** What shapes agents in a work tree: skills, hooks, prompt files ... */
export interface Tree {
  readonly parts: readonly Pick<PartFacts, "harness" | "part">[];
  /** Runs that had exactly these parts. */
  readonly runs: number;
  /** What most of those runs worked by; absent for a tree that no run had. */
  readonly workflow?: WorkflowFacts;
}

/** A tree beside the bare harness, on the same draws. */
export type TreePrice =
  | { readonly tree: Tree; readonly notPriced: string }
  | {
      readonly tree: Tree;
      readonly notPriced?: never;
      readonly workflow: WorkflowFacts;
      readonly success: Summary;
      readonly costUsd: Summary;
      /** Chance with the parts less that without. */
      readonly chanceGain: Summary;
      /** Dollars with the parts over those without. */
      readonly costRatio: Summary;
      /** Parts that no run tells from their harness. */
      readonly unknown: readonly string[];
    };

/** The trees that runs were recorded with, most used first. */
export function treesOf(runs: readonly RunFacts[]): readonly Tree[] {
  const byParts = new Map<string, RunFacts[]>();
  for (const run of runs) {
    if (run.parts.length === 0) continue;
    const key = run.parts.map(nameOfPart).sort(byCodePoint).join("\n");
    byParts.set(key, [...(byParts.get(key) ?? []), run]);
  }
  return [...byParts]
    .sort(([a, left], [b, right]) => right.length - left.length || byCodePoint(a, b))
    .map(([, own]) => ({
      parts: own[0]?.parts ?? [],
      runs: own.length,
      workflow: commonest(own.map(({ workflow }) => workflow)),
    }))
    .map(({ workflow, ...tree }) => (workflow === undefined ? tree : { ...tree, workflow }));
}

function nameOfPart({ harness, part }: Pick<PartFacts, "harness" | "part">): string {
  return `${harness}|${part}`;
}

function commonest(workflows: readonly WorkflowFacts[]): WorkflowFacts | undefined {
  const counts = new Map<string, { count: number; workflow: WorkflowFacts }>();
  for (const workflow of workflows) {
    const key = JSON.stringify(workflow);
    const known = counts.get(key) ?? { count: 0, workflow };
    known.count += 1;
    counts.set(key, known);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.workflow;
}

/**
 * Prices a tree on the picked way where its harness has parts of the tree that runs tell apart, else on the way of the
 * runs that had the tree.
 */
export function priceTree(
  belief: Belief,
  month: number,
  task: TaskFacts,
  tree: Tree,
  picked: WorkflowFacts,
): TreePrice {
  if (tree.parts.length === 0) return { tree, notPriced: "nothing in it shapes an agent" };
  const ways = [picked, ...(tree.workflow === undefined ? [] : [tree.workflow])];
  const workflow = ways.find((way) => termsFor(belief, tree, way).length > 0);
  if (workflow === undefined) {
    return { tree, notPriced: "no run tells a part of it from its harness" };
  }
  const terms = termsFor(belief, tree, workflow);
  const bare = new Predictor(belief, month).predict(task, workflow);
  const shaped = new Predictor(belief, month, DRAWS, terms).predict(task, workflow);
  return {
    tree,
    workflow,
    success: summarize(shaped.success),
    costUsd: summarize(shaped.costUsd),
    chanceGain: summarize(shaped.success.map((chance, d) => chance - (bare.success[d] ?? chance))),
    costRatio: ratioOf(shaped.costUsd, bare.costUsd),
    unknown: tree.parts.map(nameOfPart).filter((part) => !belief.parts.nodeOf.has(part)),
  };
}

/** The mean is the ratio of the means: a ratio of draws has a tail that says nothing. */
function ratioOf(costUsd: Float64Array, bareUsd: Float64Array): Summary {
  const ratios = costUsd.map((usd, d) => usd / (bareUsd[d] ?? usd));
  return { ...summarize(ratios), mean: mean(costUsd) / mean(bareUsd) };
}

/** The effects of a tree's parts; none for a way whose agents are not all of one harness. */
function termsFor(belief: Belief, { parts }: Tree, workflow: WorkflowFacts): readonly Term[] {
  const harnesses = new Set(agentPieces(workflow).map(({ setting }) => setting.harness));
  const [harness] = harnesses;
  if (harnesses.size !== 1 || harness === undefined) return [];
  const nodes = parts
    .filter((part) => part.harness === harness)
    .flatMap((part) => belief.parts.nodeOf.get(nameOfPart(part)) ?? []);
  return [...new Set(nodes)].map((node): Term => [node, 1]);
}
