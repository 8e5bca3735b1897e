import { answer, anything, list, number, object, text, whole } from "./schema.ts";
import type { Command, FlagSpec } from "./types.ts";

/** Which runs and which prior a fit takes. */
export const FIT_FLAGS: Readonly<Record<string, FlagSpec>> = {
  without: {
    kind: "text",
    brief: "Leave out the runs of this source; repeatable",
    placeholder: "SOURCE",
    repeatable: true,
  },
  noPrior: { kind: "boolean", brief: "Without the shipped prior" },
  prior: { kind: "text", brief: "This file in place of the shipped prior", placeholder: "FILE" },
};

export const fit: Command = {
  path: ["fit"],
  group: "Learn",
  brief: "Learn from the recorded runs and show what the fit rests on",
  details:
    "Every answer of recommend, posterior and report fits afresh from the recorded runs, so there is nothing to keep up to date; equal runs give equal digits.",
  args: [],
  flags: FIT_FLAGS,
  output: answer("fit", {
    fit: text,
    runs: whole,
    prior_version: text,
    heads: list(
      object({ head: text, rows: whole, effects: whole, scale_points: whole, prior_weight: number }),
    ),
    scores: list(text),
    sources: anything,
    zero_cost_attempts: whole,
    unknown_cost_attempts: whole,
    parts_not_estimated: list(object({ part: text, why: text })),
  }),
  async run(context, input) {
    const { runFit } = await import("./learner-views.ts");
    return runFit(context, input);
  },
};
