import { FEATURES, readFeature } from "../../formats/workflow/task-types.ts";

/**
 * The features that the model knows, in one spelling. Values outside a closed set are unknown and left out, as
 * are keys that are not built in.
 */
export function knownFeatures(
  features: Readonly<Record<string, boolean | number | string>>,
): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const { key } of FEATURES) {
    const raw = Object.hasOwn(features, key) ? features[key] : undefined;
    if (raw === undefined) continue;
    const { value } = readFeature(key, String(raw));
    if (value !== "unknown") known.set(key, value);
  }
  return known;
}
