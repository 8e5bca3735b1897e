/** The closed list of task types, and the features that say what kind of task it is. */

export const TASK_TYPES = [
  { id: "bug_fix", title: "Bug fix", description: "something that exists is wrong; make it right" },
  { id: "feature", title: "Feature", description: "new behavior" },
  { id: "refactor", title: "Refactoring", description: "restructure, behavior unchanged" },
  { id: "tests", title: "Tests", description: "write or repair tests" },
  { id: "docs", title: "Documentation", description: "documentation" },
  { id: "research", title: "Research", description: "find out or try out; delivers knowledge, not a change" },
  { id: "infra", title: "Infrastructure", description: "builds, CI, releases, tools, settings" },
  { id: "data", title: "Data", description: "datasets: pipelines, migrations, analyses" },
] as const;
export type TaskType = (typeof TASK_TYPES)[number]["id"];

/** A feature with a closed set of values, numbers that fall into them, or any word. */
export interface Feature {
  readonly key: string;
  readonly description: string;
  readonly kind: "category" | "bool" | "word";
  readonly values: readonly string[];
  /** A number below `edges[i]` reads as `values[i]`, one above all as the last value. */
  readonly edges?: readonly number[];
}

export const FEATURES: readonly Feature[] = [
  {
    key: "size",
    description: "changed lines: below 20, 100, 400, 1500, or more",
    kind: "category",
    values: ["xs", "s", "m", "l", "xl"],
    edges: [20, 100, 400, 1500],
  },
  { key: "lang", description: "main language, one lower-case word", kind: "word", values: [] },
  { key: "has_tests", description: "whether tests cover the place", kind: "bool", values: ["yes", "no"] },
  {
    key: "spec_clarity",
    description: "how clear the task is",
    kind: "category",
    values: ["clear", "partial", "vague"],
  },
  {
    key: "needs_design",
    description: "whether something must be designed",
    kind: "bool",
    values: ["yes", "no"],
  },
  {
    key: "touches",
    description: "how many places change: 1, 2 to 5, more",
    kind: "category",
    values: ["one", "few", "many"],
    edges: [2, 6],
  },
];

const WORDS: Readonly<Record<string, string>> = {
  true: "yes",
  y: "yes",
  "1": "yes",
  false: "no",
  n: "no",
  "0": "no",
};
/** How run documents write `touches`. */
const TOUCHES: Readonly<Record<string, string>> = { "1": "one", "2-3": "few", "4+": "many" };
const TOUCHES_OUT: Readonly<Record<string, string>> = { one: "1", few: "2-3", many: "4+" };

export function isTaskType(text: string): text is TaskType {
  return TASK_TYPES.some(({ id }) => id === text);
}

/**
 * A feature as the learner reads it, a built-in or a declared one: `unknown` for a value outside a closed set; under `extra:<key>` where the key is
 * not known.
 */
export function readFeature(
  key: string,
  raw: string,
  declared: readonly Feature[] = [],
): { readonly key: string; readonly value: string } {
  const value = raw.trim().toLowerCase();
  const feature = [...FEATURES, ...declared].find((one) => one.key === key);
  if (feature === undefined) return { key: `extra:${key}`, value };
  return { key, value: featureValue(feature, value) };
}

function featureValue(feature: Feature, value: string): string {
  if (feature.kind === "word") return /^[a-z0-9][a-z0-9_.+#-]*$/.test(value) ? value : "unknown";
  if (feature.kind === "bool") {
    const word = WORDS[value] ?? value;
    return feature.values.includes(word) ? word : "unknown";
  }
  if (feature.values.includes(value)) return value;
  const written = feature.key === "touches" ? TOUCHES[value] : undefined;
  if (written !== undefined) return written;
  const edges = feature.edges;
  if (edges === undefined || !/^\d+(\.\d+)?$/.test(value)) return "unknown";
  const index = edges.findIndex((edge) => Number(value) < edge);
  return feature.values[index < 0 ? edges.length : index] ?? "unknown";
}

/** A feature's value as run documents write it. */
export function documentValue(key: string, value: string): string {
  return key === "touches" ? (TOUCHES_OUT[value] ?? value) : value;
}
