import { answer, list, number, object, orNull, text, whole } from "./schema.ts";
import type { Command } from "./types.ts";

export const report: Command = {
  path: ["report"],
  group: "Learn",
  brief: "How well the predictions held: each run against what was believed before it",
  details:
    "Runs are gone through in order of time; each is taken by what its receipt foretold, or predicted from the runs before it alone. Nothing that a run showed is used to predict it.",
  args: [],
  flags: {
    noPrior: { kind: "boolean", brief: "Without the shipped prior" },
    prior: { kind: "text", brief: "This file in place of the shipped prior", placeholder: "FILE" },
  },
  output: answer("report", {
    runs: whole,
    foretold: whole,
    success: object({
      scored: whole,
      mean_log_score: orNull(number),
      base_rate_log_score: orNull(number),
      brier: orNull(number),
      calibrated: orNull(text),
      bins: list(object({ from: number, to: number, runs: whole, predicted: number, accepted: number })),
    }),
    cost: object({
      scored: whole,
      level: number,
      inside: whole,
      coverage: orNull(number),
      coverage_lo: orNull(number),
      coverage_hi: orNull(number),
      calibrated: orNull(text),
      predicted_mean_usd: orNull(number),
      realized_mean_usd: orNull(number),
    }),
  }),
  async run(context, input) {
    const { runReport } = await import("./report-run.ts");
    return runReport(context, input);
  },
};
