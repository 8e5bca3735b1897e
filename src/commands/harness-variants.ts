import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import type { TaskFacts, WorkflowFacts } from "../learn/index.ts";
import { nameOf } from "../plan/candidates.ts";
import { priceTree, type Tree, type TreePrice, treesOf } from "../plan/harness-trees.ts";
import type { Summary } from "../plan/summary.ts";
import { readFlags } from "./flag-values.ts";
import { harnessOfFolder } from "./harness-record.ts";
import type { Learned } from "./learned.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** Trees of the runs that are priced, most used first. */
const MOST_TREES = 5;

/** The trees that the flags ask for, each beside the bare harness. */
export async function harnessVariants(
  context: CommandContext,
  input: CommandInput,
  { belief, month }: Learned,
  task: TaskFacts,
  picked: WorkflowFacts,
): Promise<Result<readonly JsonObject[]>> {
  const flags = readFlags(input);
  const folder = flags.text("harness");
  const named = folder === undefined ? ok([]) : await treeIn(context, folder);
  if (!named.ok) return named;
  const used = flags.is("harnessVariants") ? treesOf(belief.runs).slice(0, MOST_TREES) : [];
  return ok([...named.value, ...used].map((tree) => view(priceTree(belief, month, task, tree, picked))));
}

async function treeIn(context: CommandContext, folder: string): Promise<Result<readonly Tree[]>> {
  const record = await harnessOfFolder(context, folder);
  if (!record.ok) return record;
  const parts = Object.entries(record.value?.parts ?? {}).flatMap(([harness, names]) =>
    names.map((part) => ({ harness, part })),
  );
  return ok([{ parts, runs: 0 }]);
}

function view(price: TreePrice): JsonObject {
  const { tree } = price;
  const head = { parts: tree.parts.map(({ harness, part }) => `${harness}|${part}`), runs: tree.runs };
  if (price.notPriced !== undefined) return { ...head, not_priced: price.notPriced };
  const { workflow, success, costUsd, chanceGain, costRatio, unknown } = price;
  return {
    ...head,
    not_priced: null,
    on: nameOf({ facts: workflow }),
    chance: range(success),
    expected_cost_usd: range(costUsd),
    chance_gain: range(chanceGain),
    cost_ratio: range(costRatio),
    parts_without_data: [...unknown],
  };
}

function range({ mean, lo, hi }: Summary): JsonObject {
  return { mean, lo, hi, level: 0.8, range_kind: "belief" };
}
