import { FEATURES, type Feature, readFeature } from "../../formats/workflow/task-types.ts";

/**
 * The features that the model knows, in one spelling: those that are built in and those that the user declares. Values
 * outside a closed set are unknown and left out, as are other keys.
 */
export function knownFeatures(
  features: Readonly<Record<string, boolean | number | string>>,
  declared: readonly Feature[] = [],
): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const { key } of [...FEATURES, ...declared]) {
    const raw = Object.hasOwn(features, key) ? features[key] : undefined;
    if (raw === undefined) continue;
    const { value } = readFeature(key, String(raw), declared);
    if (value !== "unknown") known.set(key, value);
  }
  return known;
}
