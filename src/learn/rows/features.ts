/** Buckets for changed lines and touched files, and the closed sets of the built-in features. */
const SIZES = [
  [20, "xs"],
  [100, "s"],
  [400, "m"],
  [1500, "l"],
] as const;
const SETS: Readonly<Record<string, readonly string[]>> = {
  size: ["xs", "s", "m", "l", "xl"],
  has_tests: ["yes", "no"],
  spec_clarity: ["clear", "partial", "vague"],
  needs_design: ["yes", "no"],
  touches: ["one", "few", "many"],
};
const TOUCHES: Readonly<Record<string, string>> = { "1": "one", "2-3": "few", "4+": "many" };

/**
 * The features that the model knows, in one spelling. Values outside a closed set are unknown and left out, as
 * are keys that are not built in.
 */
export function knownFeatures(
  features: Readonly<Record<string, boolean | number | string>>,
): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const key of ["size", "lang", "has_tests", "spec_clarity", "needs_design", "touches"]) {
    const value = Object.hasOwn(features, key) ? features[key] : undefined;
    const word = value === undefined ? undefined : featureWord(key, value);
    if (word !== undefined) known.set(key, word);
  }
  return known;
}

function featureWord(key: string, value: boolean | number | string): string | undefined {
  const text = String(value).trim().toLowerCase();
  if (key === "lang") return /^[a-z][a-z0-9_.+#-]{0,31}$/.test(text) && text !== "unknown" ? text : undefined;
  const word = key === "size" ? sizeWord(text) : key === "touches" ? touchesWord(text) : yesNo(text);
  return SETS[key]?.includes(word) === true ? word : undefined;
}

function sizeWord(text: string): string {
  const lines = /^\d+$/.test(text) ? Number(text) : undefined;
  return lines === undefined ? text : (SIZES.find(([limit]) => lines < limit)?.[1] ?? "xl");
}

function touchesWord(text: string): string {
  if (Object.hasOwn(TOUCHES, text)) return TOUCHES[text] ?? text;
  if (!/^\d+$/.test(text)) return text;
  return Number(text) <= 1 ? "one" : Number(text) <= 5 ? "few" : "many";
}

function yesNo(text: string): string {
  if (["true", "yes", "y", "1"].includes(text)) return "yes";
  return ["false", "no", "n", "0"].includes(text) ? "no" : text;
}
