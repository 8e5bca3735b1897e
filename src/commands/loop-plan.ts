import { ok, type Result } from "../core/result.ts";
import type { Loop } from "../formats/loop/index.ts";
import type { GraphPlan } from "../graph/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { forecastLoop } from "./loop-history.ts";
import { answer, list, number, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const loopPlan: Command = {
  path: ["loop", "plan"],
  group: "Loops",
  brief: "Waves, critical path and speed-up of a loop, without running it",
  details:
    "The predicted speed-up is Amdahl's estimate, as other planners give it; the schedule is worked out piece by piece and is what a run can reach when pieces take as long as their weights say. Where the loop has run in this folder before, the time and the dollars that its pieces took stand in for the weights.",
  args: [LOOP_FILE_ARG],
  flags: {},
  output: answer("loop-plan", {
    loop: text,
    waves: list(list(text)),
    phases: list(object({ phase: orNull(text), waves: list(list(text)) })),
    /** What weights, and the costs that are made of them, are counted in. */
    unit: oneOf("weight", "seconds"),
    pieces: list(
      object({ piece: text, weight: number, attempts: whole, seconds: orNull(number), usd: orNull(number) }),
    ),
    /** Of one iteration that tries each piece once; null without earlier runs. */
    expected_seconds: orNull(number),
    expected_usd: orNull(number),
    expected_usd_unknown: list(text),
    critical_path: list(text),
    critical_cost: number,
    total_cost: number,
    parallel_fraction: number,
    workers: whole,
    predicted_speedup: number,
    speedup_ceiling: orNull(number),
    scheduled_speedup: number,
    scheduled_workers: whole,
    schedule_curve: list(number),
    min_iterations: whole,
    max_iterations: whole,
    shared_writers: list(object({ wave: whole, pieces: list(text) })),
    file_overlaps: list(object({ pieces: list(text), files: list(text) })),
    lines: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { readDraftLoop } = await import("./read-loop.ts");
  const { wavesByPhase } = await import("../graph/index.ts");
  const { fewestIterations, predictedOverlaps, sharedWriters } = await import("../formats/loop/index.ts");
  const draft = await readDraftLoop(context, input);
  if (!draft.ok) return draft;
  const loop = draft.value;
  const forecast = await forecastLoop(context, loop, loop.concurrency);
  if (!forecast.ok) return forecast;
  const { plan, history, seconds, usd } = forecast.value;
  const shown: Shown = {
    forecast: forecast.value.lines,
    phases: loop.phases.items.length === 0 ? [] : wavesByPhase(loop.pieces),
    minIterations: fewestIterations(loop),
    writers: sharedWriters(loop),
    overlaps: predictedOverlaps(loop),
  };
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.loop-plan/1",
      ok: true,
      loop: loop.name,
      waves: plan.waves,
      phases: shown.phases.map(({ phase, waves }) => ({ phase: phase ?? null, waves })),
      unit: forecast.value.unit,
      pieces: forecast.value.pieces.map(({ id, weight }) => {
        const past = history.get(id);
        return {
          piece: id,
          weight,
          attempts: past?.attempts ?? 0,
          seconds: past?.seconds ?? null,
          usd: past?.usd ?? null,
        };
      }),
      expected_seconds: seconds ?? null,
      expected_usd: usd.unknown.length < loop.pieces.length ? usd.known : null,
      expected_usd_unknown: [...usd.unknown],
      critical_path: plan.critical.pieces,
      critical_cost: plan.critical.cost,
      total_cost: plan.totalCost,
      parallel_fraction: plan.parallelFraction,
      workers: plan.workers,
      predicted_speedup: plan.predictedSpeedup,
      speedup_ceiling: Number.isFinite(plan.speedupCeiling) ? plan.speedupCeiling : null,
      scheduled_speedup: plan.scheduledSpeedup,
      scheduled_workers: plan.scheduledWorkers,
      schedule_curve: plan.curve,
      min_iterations: shown.minIterations,
      max_iterations: loop.stop.maxIterations,
      shared_writers: shown.writers.map(({ wave, ids }) => ({ wave, pieces: ids })),
      file_overlaps: shown.overlaps.map(({ pieces, files }) => ({ pieces, files })),
      lines: [...graphLines(loop, plan), ...moreLines(loop, shown)],
    },
  });
}

interface Shown {
  /** What one pass takes by earlier runs. */
  readonly forecast: readonly string[];
  readonly phases: readonly { readonly phase: string | undefined; readonly waves: GraphPlan["waves"] }[];
  readonly minIterations: number;
  readonly writers: readonly { readonly wave: number; readonly ids: readonly string[] }[];
  readonly overlaps: readonly { readonly pieces: readonly string[]; readonly files: readonly string[] }[];
}

function graphLines(loop: Loop, plan: GraphPlan): readonly string[] {
  const best = plan.curve[plan.scheduledWorkers - 1] ?? 1;
  const turns = loop.pieces.filter(({ isolation }) => isolation.mode === "none").length;
  const workers = `${plan.scheduledWorkers} worker${plan.scheduledWorkers === 1 ? "" : "s"}`;
  return [
    `loop: ${loop.name}`,
    "",
    `Waves (${plan.waves.length} total):`,
    ...plan.waves.map((wave, index) => `${String(index + 1).padStart(4)}. ${wave.join(", ")}`),
    "",
    `Critical path (${plan.critical.cost.toFixed(1)} cost): ${plan.critical.pieces.join(" -> ")}`,
    `Total work cost:     ${plan.totalCost.toFixed(1)}`,
    `Parallel fraction p: ${plan.parallelFraction.toFixed(3)}`,
    `Concurrency chosen:  ${plan.workers}`,
    `Predicted speedup:   ${plan.predictedSpeedup.toFixed(2)}x  (ceiling ${plan.speedupCeiling.toFixed(2)}x at infinite workers)`,
    `Exact schedule:      ${plan.scheduledSpeedup.toFixed(2)}x; a run starts ${workers} and can reach ${best.toFixed(2)}x`,
    ...(turns > 1 ? [`                     (${turns} pieces share the folder and take turns in it)`] : []),
  ];
}

function moreLines(
  loop: Loop,
  { forecast, phases, minIterations, writers, overlaps }: Shown,
): readonly string[] {
  const phased = phases.flatMap(({ phase, waves }) =>
    waves.map((wave, index) => `  ${`${phase ?? "any time"} ${index + 1}`.padEnd(16)} ${wave.join(", ")}`),
  );
  return [
    ...forecast,
    ...(phased.length === 0
      ? []
      : [
          "",
          "Waves by phase:",
          ...phased,
          `Iterations:          ${minIterations} at least, ${loop.stop.maxIterations} at most`,
        ]),
    ...writers.map(
      ({ wave, ids }) =>
        `warning: ${ids.join(", ")} all write in one folder and take turns in it (wave ${wave})`,
    ),
    ...overlaps.map(
      ({ pieces, files }) =>
        `warning: ${pieces.join(" and ")} may run together and both write ${files.join(", ")}`,
    ),
  ];
}
