import { answer, list, number, object, orNull, text, whole } from "./schema.ts";
import type { Command } from "./types.ts";

export const prior: Command = {
  path: ["prior"],
  group: "Learn",
  brief: "The published figures that stand in for runs you have not made, and what they weigh now",
  args: [],
  flags: {
    prior: { kind: "text", brief: "This file in place of the shipped prior", placeholder: "FILE" },
    head: {
      kind: "choice",
      brief: "With the effects of this head",
      choices: ["success", "gate", "cost", "tokens"],
    },
  },
  output: answer("prior", {
    version: text,
    design_version: whole,
    heads: list(object({ head: text, effects: whole, figures: whole, weight: number })),
    effects: list(object({ node: text, mean: number, sd: number, figures: whole })),
    built_by: text,
    source: orNull(text),
  }),
  async run(context, input) {
    const { runPrior } = await import("./learner-views.ts");
    return runPrior(context, input);
  },
};
