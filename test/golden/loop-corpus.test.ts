import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { convertLoop, type LoopRead, migrateLoop, parseLoop } from "../../src/formats/loop/index.ts";
import { planGraph } from "../../src/graph/index.ts";
import { sharedData } from "./shared-data.ts";

interface Said {
  readonly errors: readonly (readonly [path: string, message: string])[];
  readonly warnings: readonly (readonly [path: string, message: string])[];
}
interface Expected {
  readonly legacy_keys_moved: readonly string[];
  readonly plan: Readonly<Record<string, unknown>>;
  readonly list_schedule_speedup_at_chosen_concurrency: number;
  readonly validate_as_shipped: Said;
  readonly validate_with_prerequisites_done: Said;
  readonly counts: {
    readonly nodes: number;
    readonly goals: number;
    readonly checks: number;
    readonly detectors: Readonly<Record<string, number>>;
    readonly triggers: readonly string[];
    readonly phases: number;
    readonly default_skills: number;
  };
}

const loops = sharedData("corpus/loops");
const expected: Readonly<Record<string, Expected>> =
  loops === undefined ? {} : JSON.parse(readFileSync(join(loops, "expected.json"), "utf8"));
const files = Object.entries(expected);

function textOf(name: string): string {
  return readFileSync(join(loops ?? "", name), "utf8");
}

/** Errors and warnings of the grammar; our own risks come on top and have tests of their own. */
function said({ findings }: LoopRead): Said {
  const of = (wanted: string) =>
    findings
      .filter(({ severity }) => severity === wanted)
      .map(({ path, message }) => [path, message.slice(path.length + 2).split(":")[0] ?? ""] as const);
  return { errors: of("error"), warnings: of("warning") };
}

describe.skipIf(loops === undefined).each(files)("%s", (name, wanted) => {
  test("is refused as shipped for its open prerequisites alone, and has no fault once they are done", async () => {
    expect(said(await parseLoop(textOf(name), name))).toEqual(wanted.validate_as_shipped);
    const done = textOf(name).replaceAll(/done: false/g, "done: true");
    expect(said(await parseLoop(done, name))).toEqual(wanted.validate_with_prerequisites_done);
  });

  test("holds as many parts as it should", async () => {
    const { loop } = await parseLoop(textOf(name), name);
    const detectors = (loop?.checks ?? []).map(({ detector }) => detector.type);
    expect({
      nodes: loop?.pieces.length,
      goals: loop?.goals.length,
      checks: detectors.length,
      detectors: Object.fromEntries(
        [...new Set(detectors)].map((type) => [type, detectors.filter((one) => one === type).length]),
      ),
      triggers: loop?.triggers.triggers.map(({ on }) => on.type),
      phases: loop?.phases.items.length,
      default_skills: loop?.defaultSkills.length,
    }).toEqual(wanted.counts);
  });

  test("has the published plan", async () => {
    const { loop } = await parseLoop(textOf(name), name);
    const result = planGraph(loop?.pieces ?? [], loop?.concurrency);
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
    }).toEqual(wanted.plan);
    const exact = wanted.list_schedule_speedup_at_chosen_concurrency;
    expect(value.scheduledSpeedup).toBeCloseTo(exact, 5);
  });

  test("moves the keys that the older grammar had elsewhere", async () => {
    const migrated = await migrateLoop(textOf(name), name);
    if (!migrated.ok) throw new Error(JSON.stringify(migrated.problems));
    const keys = migrated.value.moves.map(({ from }) => from).filter((from) => /^\w+$/.test(from));
    expect(keys.sort()).toEqual([...wanted.legacy_keys_moved].sort());
    const { loop } = await parseLoop(textOf(name), name);
    expect((await parseLoop(migrated.value.text, name)).loop).toEqual(loop);
  });

  test("means the same as its Markdown twin, and as what it is converted to and back", async () => {
    const { loop } = await parseLoop(textOf(name), name);
    const twin = name.replace(/yaml$/, "md");
    if (existsSync(join(loops ?? "", twin))) {
      expect(withoutNotes((await parseLoop(textOf(twin), twin)).loop)).toEqual(withoutNotes(loop));
    }
    const markdown = await convertLoop(textOf(name), name);
    if (!markdown.ok) throw new Error(JSON.stringify(markdown.problems));
    expect((await parseLoop(markdown.value.text, twin)).loop).toEqual(loop);
    const back = await convertLoop(markdown.value.text, twin);
    if (!back.ok) throw new Error(JSON.stringify(back.problems));
    expect((await parseLoop(back.value.text, name)).loop).toEqual(loop);
  });
});

/** The published twins leave some notes out, which are for people alone. */
function withoutNotes(loop: LoopRead["loop"]): unknown {
  return JSON.parse(JSON.stringify(loop, (key, value) => (key === "note" ? undefined : value)));
}

test.skipIf(loops === undefined)("the published loops that can never finish are found", async () => {
  const found = await Promise.all(
    files.map(async ([name]) => {
      const { findings } = await parseLoop(textOf(name), name);
      return findings.some(({ risk }) => risk?.name === "judge-in-later-phase") ? [name] : [];
    }),
  );
  expect(found.flat()).toEqual([
    "blogger-loop.yaml",
    "landing-page-loop.yaml",
    "marketing-automation-loop.yaml",
  ]);
});
