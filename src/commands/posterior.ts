import { FIT_FLAGS } from "./fit.ts";
import { answer, flag, list, number, object, orNull, text, whole } from "./schema.ts";
import type { Command } from "./types.ts";

const RANGE = object({ lo: number, hi: number, lo95: number, hi95: number, level: number, range_kind: text });

export const posterior: Command = {
  path: ["posterior"],
  group: "Learn",
  brief: "What was learned about models, efforts, harnesses, shapes, repositories and harness parts",
  details:
    "The printed range of an effect holds the true one in 80 of 100 cases whatever its size; the belief beside it is what decisions use. An effect is an association in your runs; a paired experiment is the proof.",
  args: [
    {
      name: "level",
      brief: "model, effort, harness, topology, repo, part ...; all without",
      required: false,
    },
  ],
  flags: {
    ...FIT_FLAGS,
    head: {
      kind: "choice",
      brief: "Which question (success)",
      choices: ["success", "gate", "cost", "tokens"],
    },
    workflow: { kind: "text", brief: "Only effects that this workflow or cfg_ id has", placeholder: "NAME" },
  },
  output: answer("posterior", {
    head: text,
    unit: text,
    at: orNull(number),
    effects: list(
      object({
        node: text,
        level: text,
        mean: number,
        belief: object({ lo: number, hi: number, level: number, range_kind: text }),
        range: orNull(RANGE),
        not_identified: flag,
        pulled: flag,
        above_zero_prob: number,
        zero_prob: orNull(number),
        rows: whole,
        points: orNull(object({ mean: number, lo: orNull(number), hi: orNull(number) })),
        ratio: orNull(object({ mean: number, lo: orNull(number), hi: orNull(number) })),
      }),
    ),
  }),
  async run(context, input) {
    const { runPosterior } = await import("./learner-views.ts");
    return runPosterior(context, input);
  },
};
