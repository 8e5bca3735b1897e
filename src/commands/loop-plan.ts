import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, list, number, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const loopPlan: Command = {
  path: ["loop", "plan"],
  group: "Loops",
  brief: "Waves, critical path and speed-up of a loop, without running it",
  args: [{ name: "file", brief: "The loop file; ./loop.yaml by default", required: false }],
  flags: {},
  output: answer("loop-plan", {
    loop: text,
    waves: list(list(text)),
    critical_path: list(text),
    critical_cost: number,
    total_cost: number,
    parallel_fraction: number,
    workers: whole,
    predicted_speedup: number,
    speedup_ceiling: orNull(number),
    scheduled_speedup: number,
    lines: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { firstProblem, readLoop } = await import("./read-loop.ts");
  const { planGraph } = await import("../graph/index.ts");
  const file = await readLoop(context, input);
  if (!file.ok) return file;
  const { loop, findings } = file.value.read;
  // A plan spends nothing: a loop that may not start yet can still be planned.
  if (loop === undefined) {
    return { ok: false, problem: firstProblem(findings.filter(({ severity }) => severity === "error")) };
  }
  const planned = planGraph(loop.pieces, loop.concurrency);
  if (!planned.ok) return planned;
  const plan = planned.value;
  const lines = [
    `loop: ${loop.name}`,
    "",
    `Waves (${plan.waves.length} total):`,
    ...plan.waves.map((wave, index) => `${String(index + 1).padStart(4)}. ${wave.join(", ")}`),
    "",
    `Critical path (${plan.critical.cost.toFixed(1)} cost): ${plan.critical.pieces.join(" -> ")}`,
    `Total work cost:     ${plan.totalCost.toFixed(1)}`,
    `Parallel fraction p: ${plan.parallelFraction.toFixed(3)}`,
    `Concurrency chosen:  ${plan.workers}`,
    `Speedup by schedule: ${plan.scheduledSpeedup.toFixed(2)}x`,
    `Speedup by Amdahl:   ${plan.predictedSpeedup.toFixed(2)}x  (ceiling ${plan.speedupCeiling.toFixed(2)}x at infinite workers)`,
  ];
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.loop-plan/1",
      ok: true,
      loop: loop.name,
      waves: plan.waves,
      critical_path: plan.critical.pieces,
      critical_cost: plan.critical.cost,
      total_cost: plan.totalCost,
      parallel_fraction: plan.parallelFraction,
      workers: plan.workers,
      predicted_speedup: plan.predictedSpeedup,
      speedup_ceiling: Number.isFinite(plan.speedupCeiling) ? plan.speedupCeiling : null,
      scheduled_speedup: plan.scheduledSpeedup,
      lines,
    },
  });
}
