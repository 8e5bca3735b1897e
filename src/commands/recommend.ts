import { HARNESS_VARIANT, RECOMMENDATION } from "./recommend-schema.ts";
import { TASK_FLAGS } from "./run-task.ts";
import { answer, anything, flag, list, object, orNull, text, whole } from "./schema.ts";
import type { Command } from "./types.ts";

export const recommend: Command = {
  path: ["recommend"],
  group: "Plan",
  brief: "Which way of working fits a task: its chance, its price, and why",
  details:
    "Learns from your recorded runs on top of published figures. Where the data say too little about a chance it says so, ranks by cost and names the two runs that would teach most.",
  args: [],
  flags: {
    ...TASK_FLAGS,
    workflow: {
      kind: "text",
      brief: "Consider this workflow too: a file, a name or a cfg_ id; repeatable",
      placeholder: "FILE",
      repeatable: true,
    },
    models: { kind: "text", brief: "Only these models, separated by commas", placeholder: "M,M" },
    rule: { kind: "text", brief: "What counts as accepted (configured, else tests)", placeholder: "RULE" },
    target: {
      kind: "text",
      brief: "Accepted is what reaches this score, e.g. quality>=0.9; in place of --rule",
      placeholder: "SCORE",
    },
    usual: { kind: "text", brief: "Measure against this configuration", placeholder: "CFG" },
    goal: {
      kind: "choice",
      brief: "Ask for this chance at least",
      choices: ["default", "p50", "p70", "p80", "p90", "p95", "p99"],
    },
    rescue: {
      kind: "choice",
      brief: "How a miss is put right: run again, redo it your usual way, by a person, or not at all",
      choices: ["retry", "redo_usual", "person", "none"],
    },
    rescueUsd: { kind: "usd", brief: "What a miss costs you, in place of --rescue", placeholder: "USD" },
    budget: { kind: "usd", brief: "Suggest no exploration that costs more", placeholder: "USD" },
    fit: {
      kind: "text",
      brief: "Answer from this fit, of a recommendation that was kept",
      placeholder: "FIT",
    },
    prior: { kind: "text", brief: "This file in place of the shipped prior", placeholder: "FILE" },
    noPrior: { kind: "boolean", brief: "Without the shipped prior" },
    harness: {
      kind: "text",
      brief: "Price what shapes agents in this folder beside the bare harness",
      placeholder: "DIR",
    },
    harnessVariants: { kind: "boolean", brief: "The same for the trees that your runs had" },
    curve: { kind: "boolean", brief: "Show the curve of chance and cost" },
    explore: { kind: "boolean", brief: "Show what is worth trying, and what that costs" },
    html: { kind: "text", brief: "Write the answer to this file too, as one page", placeholder: "FILE" },
    brief: { kind: "boolean", brief: "Only the pick, its reason and its command" },
  },
  output: answer("recommend", {
    task: anything,
    rule: anything,
    fit: object({ id: text, runs: whole, prior_version: text, prior_weight: anything }),
    ...RECOMMENDATION,
    harness_variants: list(HARNESS_VARIANT),
    notes: list(text),
    show: object({ curve: flag, explore: flag }),
    page: orNull(text),
    rec: orNull(text),
    created_at: orNull(text),
  }),
  async run(context, input) {
    const { runRecommend } = await import("./recommend-run.ts");
    return runRecommend(context, input);
  },
};
