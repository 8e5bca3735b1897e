import type { Json, JsonObject } from "../core/canonical-json.ts";
import type { OcpConfiguration, OcpTask } from "../formats/ocp/index.ts";
import type { AcceptanceRule } from "../formats/rule/index.ts";
import type { Amount, Forecast } from "./forecast.ts";
import { propensities } from "./options.ts";
import type { Choice, Option, Recommendation } from "./question.ts";
import { type Quantiles, SHARES } from "./summary.ts";

/** The state of the data that a recommendation came from. */
export interface FitState {
  readonly id: string;
  readonly runs: number;
  readonly priorVersion: string;
}

export interface Shown {
  readonly rec: string;
  readonly at: string;
  readonly task: OcpTask;
  readonly rule: AcceptanceRule;
  readonly fit: FitState;
  readonly found: Recommendation;
  /** How often each kind of option was taken of the recommendations that were followed, and how many were made. */
  readonly taken: ReadonlyMap<string, number>;
  readonly recommended: number;
}

/** A recommendation as it is kept: everything that a run which follows it needs to know. */
export function storedDocument(shown: Shown): JsonObject {
  const { found, fit } = shown;
  const chances = propensities(found.options, shown.taken, shown.recommended);
  const configurations = new Map(everyChoice(found).map(({ candidate }) => [candidate.id, candidate]));
  return {
    schema: "loopwright.recommendation/1",
    rec: shown.rec,
    created_at: shown.at,
    task: plain(shown.task),
    rule: plain(shown.rule),
    fit: { id: fit.id, runs: fit.runs, prior_version: fit.priorVersion },
    reason: found.reason,
    options: found.options.map((option) => optionDocument(option, chances.get(option.number), found)),
    configurations: Object.fromEntries(
      [...configurations].map(([id, { configuration }]) => [id, plain(configuration)]),
    ),
  };
}

function everyChoice(found: Recommendation): readonly Choice[] {
  return [
    ...found.options.flatMap(({ members }) => members.map(({ choice }) => choice)),
    ...found.curve,
    ...found.ties,
    ...found.explorations.map(({ choice }) => choice),
  ];
}

function optionDocument(
  { number, key, members }: Option,
  propensity: number | undefined,
  found: Recommendation,
): JsonObject {
  const explored = key === "pair" ? found.explorations[0] : undefined;
  return {
    option: number,
    key,
    propensity: propensity ?? null,
    members: members.map(({ choice, forecast, source }) => ({
      config: choice.candidate.id,
      name: choice.name,
      source,
      predicted: predictedDocument(forecast),
    })),
    gain_per_run_usd: explored?.gainUsd ?? null,
    price_usd: explored?.priceUsd ?? null,
    payback_runs: explored?.paybackRuns ?? null,
  };
}

/** A forecast with the members that a receipt has. */
export function predictedDocument(forecast: Forecast): JsonObject {
  const { success, uncorrectedProb, costUsd, tokens, rounds } = forecast;
  return {
    p_success: {
      mean: success.mean,
      lo: success.lo,
      hi: success.hi,
      level: 0.8,
      ...(uncorrectedProb !== undefined && { uncorrected: uncorrectedProb }),
    },
    cost_usd: amountDocument(costUsd),
    tokens: amountDocument(tokens),
    rounds: { mean: rounds },
  };
}

function amountDocument({ mean, quantiles, uncorrected }: Amount): JsonObject {
  const byShare = (values: Quantiles) =>
    Object.fromEntries(SHARES.map((share, i) => [String(share), values[i] ?? mean]));
  const at = byShare(quantiles);
  return {
    mean,
    lo: at["0.1"] ?? mean,
    hi: at["0.9"] ?? mean,
    level: 0.8,
    quantiles: at,
    ...(uncorrected !== undefined && { uncorrected: byShare(uncorrected) }),
  };
}

/** Documents of formats are plain JSON; members that are absent stay absent. */
function plain(value: OcpTask | AcceptanceRule | OcpConfiguration): Json {
  return JSON.parse(JSON.stringify(value));
}
