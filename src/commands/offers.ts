import type { Json } from "../core/canonical-json.ts";
import { type Config, formatKeyPath } from "../formats/config/index.ts";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { canRun } from "../formats/workflow/models.ts";
import type { Offer } from "../plan/offer.ts";

/** Models that are offered while the user's own say nothing, by the harness that runs them. */
const DEFAULT_MODELS: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ["claude-opus-5-5", "claude-sonnet-5", "claude-fable-5-1"],
  codex: ["gpt-6-astra", "gpt-6-sol", "gpt-6-luna"],
};
const KNOWN_HARNESSES = Object.keys(DEFAULT_MODELS);
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

export interface Offers {
  readonly offers: readonly Offer[];
  readonly notes: readonly string[];
}

type Values = Config["values"];

/**
 * What can be run here: the models of `wanted`, else of `models.allowed`, else the usual ones of each harness and those
 * that the runs used; by the harnesses that are installed and allowed, with the efforts that are configured for them.
 */
export function offersOf(
  { values }: Config,
  installed: readonly string[],
  documents: readonly OcpDocument[],
  wanted: readonly string[] | undefined,
): Offers {
  const allowed = values.get("harnesses");
  const usable = KNOWN_HARNESSES.filter((harness) => !isWords(allowed) || allowed.includes(harness));
  const present = usable.filter((harness) => installed.includes(harness));
  const harnesses = present.length > 0 ? present : usable;
  const found = new Map(
    harnesses.flatMap((harness) => (DEFAULT_MODELS[harness] ?? []).map((model) => [model, harness])),
  );
  for (const [model, harness] of modelsOfRuns(documents)) {
    if (harnesses.includes(harness)) found.set(model, harness);
  }
  for (const [model, harness] of Object.entries(mapIn(allowed))) found.set(model, harness);
  const chosen = wanted ?? wordsIn(values, "models.allowed");
  const models = chosen ?? [...found.keys()];
  const harnessOf = (model: string) =>
    found.get(model) ?? harnesses.find((harness) => chosen !== undefined && canRun(harness, model));
  return {
    offers: models.flatMap((model) => {
      const harness = harnessOf(model);
      return harness === undefined ? [] : [{ harness, model, efforts: effortsOf(values, model, harness) }];
    }),
    notes: [
      ...(present.length > 0 ? [] : [`no agent was found here (looked for ${usable.join(", ")})`]),
      ...models.flatMap((model) => (harnessOf(model) === undefined ? [`nothing here runs ${model}`] : [])),
    ],
  };
}

function* modelsOfRuns(
  documents: readonly OcpDocument[],
): Iterable<readonly [model: string, harness: string]> {
  for (const { attempts } of documents) {
    for (const { harness, model } of attempts ?? []) {
      if (harness !== undefined && model?.id !== undefined) yield [model.id, harness];
    }
  }
}

function effortsOf(values: Values, model: string, harness: string): readonly string[] {
  return (
    wordsIn(values, formatKeyPath(["efforts", model])) ??
    wordsIn(values, formatKeyPath(["efforts", harness])) ??
    EFFORTS
  );
}

function wordsIn(values: Values, key: string): readonly string[] | undefined {
  const value = values.get(key);
  return isWords(value) && value.length > 0 ? value : undefined;
}

function isWords(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value);
}

function mapIn(value: Json | undefined): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return value as Readonly<Record<string, string>>;
}
