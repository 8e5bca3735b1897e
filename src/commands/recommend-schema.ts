import { flag, list, number, object, oneOf, orNull, text, whole } from "./schema.ts";

const RANGE = object({
  mean: orNull(number),
  lo: orNull(number),
  hi: orNull(number),
  lo95: orNull(number),
  hi95: orNull(number),
  level: number,
  range_kind: text,
  "median?": number,
});

const CHOICE = object({
  config: text,
  name: text,
  shape: text,
  origin: text,
  command: text,
  chance_known: flag,
  success: RANGE,
  run_cost_usd: RANGE,
  expected_cost_usd: RANGE,
  tokens: RANGE,
  rounds: number,
  loss_usd: number,
  support: object({ shape: whole, models: whole, type: whole, same: whole }),
});

const EXPLORATION = object({
  choice: CHOICE,
  runs: whole,
  gain_usd_per_run: number,
  price_usd: number,
  pair_usd: number,
  payback_runs: whole,
  auto_ok: flag,
  beats_prob: number,
});

/** The members of a recommendation. */
export const RECOMMENDATION = {
  pick: CHOICE,
  reason: text,
  why: text,
  current: orNull(CHOICE),
  saving: orNull(object({ usd_per_run: number, median_usd_per_run: number, sd: number, prob: number })),
  ties: list(CHOICE),
  curve: list(object({ choice: CHOICE, front_prob: number })),
  explorations: list(EXPLORATION),
  pair: orNull(
    object({ configs: list(text), other: text, cost_usd: number, commands: list(text), command: text }),
  ),
  choices: list(
    object({
      option: whole,
      key: oneOf("goal", "pair", "reference", "cheapest_run", "most_likely"),
      title: text,
      recommended: flag,
      members: list(
        object({
          config: text,
          name: text,
          source: oneOf("usual", "alternative", "exploration"),
          command: text,
          chance: orNull(number),
          run_cost_usd: number,
        }),
      ),
    }),
  ),
  rescue: object({ usd_per_miss: orNull(number), accepted_prob: number }),
  success_from: oneOf("success_head", "score_head"),
  considered: whole,
};

const BELIEF = object({ mean: number, lo: number, hi: number, level: number, range_kind: text });

/** A tree that shapes agents; its prices are there where `not_priced` says no reason. */
export const HARNESS_VARIANT = object({
  parts: list(text),
  runs: whole,
  not_priced: orNull(text),
  "on?": text,
  "chance?": BELIEF,
  "expected_cost_usd?": BELIEF,
  "chance_gain?": BELIEF,
  "cost_ratio?": BELIEF,
  "parts_without_data?": list(text),
});
