import { type JsonSchema, number, object, oneOf, orNull, whole } from "./schema.ts";

/** What running attempts spend now, by their agents' logs. */
export const LIVE_SPEND: JsonSchema = object({
  tokens: whole,
  cost_usd: orNull(number),
  tokens_per_minute: whole,
  usd_per_minute: orNull(number),
  limit: orNull(oneOf("ceiling", "budget")),
  left_usd: orNull(number),
  minutes_left: orNull(whole),
  unknown_attempts: whole,
});
