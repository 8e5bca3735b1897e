import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type GraphPiece, planGraph } from "../../src/graph/index.ts";
import { sharedData } from "./shared-data.ts";

interface Expected {
  readonly plan: Readonly<Record<string, unknown>>;
  readonly list_schedule_speedup_at_chosen_concurrency: number;
}
interface Node {
  readonly id: string;
  readonly weight?: number;
  readonly depends_on?: readonly string[];
}

const loops = sharedData("corpus/loops");
const expected: Readonly<Record<string, Expected>> =
  loops === undefined ? {} : JSON.parse(readFileSync(join(loops, "expected.json"), "utf8"));

/** The samples are in two grammars; only the place of the graph differs. */
function graphOf(name: string): readonly GraphPiece[] {
  const file = parse(readFileSync(join(loops ?? "", name), "utf8"));
  const nodes: readonly Node[] = (file.graph ?? file.execution.graph).nodes;
  return nodes.map(({ id, weight = 1, depends_on = [] }) => ({ id, weight, dependsOn: depends_on }));
}

test.skipIf(loops === undefined).each(Object.keys(expected))(
  "the plan of %s is the published one",
  (name) => {
    const { plan, list_schedule_speedup_at_chosen_concurrency: scheduled } = expected[name] ?? { plan: {} };
    const result = planGraph(graphOf(name));
    if (!result.ok) throw new Error(result.problem.message);
    const { value } = result;
    const rounded = (number: number) => Math.round(number * 1e6) / 1e6;
    expect({
      waves: value.waves,
      critical_path: value.critical.pieces,
      critical_path_cost: value.critical.cost,
      total_cost: value.totalCost,
      parallel_fraction: rounded(value.parallelFraction),
      concurrency: value.workers,
      predicted_speedup: rounded(value.predictedSpeedup),
      speedup_ceiling: rounded(value.speedupCeiling),
      unisolated_parallel_builders: [],
    }).toEqual(plan);
    expect(value.scheduledSpeedup).toBeCloseTo(scheduled ?? Number.NaN, 5);
  },
);
