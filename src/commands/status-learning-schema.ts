import { type JsonSchema, number, object, oneOf, orNull, text, whole } from "./schema.ts";

/** What is being learned, and at which price. */
export const LEARNING: JsonSchema = object({
  finished_runs: whole,
  follows: orNull(
    object({ rec: text, choice: orNull(text), source: oneOf("usual", "alternative", "exploration") }),
  ),
  forecasts: object({ runs: whole, costs: whole, costs_inside: whole, chances: whole, held: orNull(text) }),
  experiment: orNull(
    object({ base: text, candidate: text, pairs: whole, wins: whole, losses: whole, next_look: whole }),
  ),
  budget: orNull(
    object({ cap_usd: number, left_usd: number, usd_per_day: orNull(number), days_left: orNull(whole) }),
  ),
});
