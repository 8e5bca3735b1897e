import * as v from "valibot";

const NAME = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const MOMENT = v.pipe(v.string(), v.isoTimestamp());
const SCORE = v.object({
  value: v.nullable(v.pipe(v.number(), v.finite())),
  unit: v.exactOptional(NAME),
  better: v.exactOptional(v.picklist(["higher", "lower"])),
  target: v.exactOptional(v.pipe(v.number(), v.finite())),
  scale: v.exactOptional(v.picklist(["linear", "log", "fraction"])),
});
const TASK = v.object({
  id: NAME,
  type: v.exactOptional(NAME),
  repo: v.exactOptional(NAME),
  base_commit: v.exactOptional(NAME),
  title: v.exactOptional(v.pipe(v.string(), v.maxLength(500))),
  features: v.exactOptional(v.record(v.string(), v.union([v.boolean(), v.number(), v.string()]))),
});
const HARNESS = v.object({
  label: v.exactOptional(NAME),
  digest: v.exactOptional(v.pipe(v.string(), v.startsWith("sha256:"))),
  parts: v.exactOptional(v.array(v.union([NAME, v.object({ id: NAME })]))),
});
const COST = v.object({
  usd: v.exactOptional(v.pipe(v.number(), v.finite(), v.minValue(0))),
  input_tokens: v.exactOptional(COUNT),
  cached_input_tokens: v.exactOptional(COUNT),
  cache_creation_tokens: v.exactOptional(COUNT),
  cache_creation_5m_tokens: v.exactOptional(COUNT),
  cache_creation_1h_tokens: v.exactOptional(COUNT),
  output_tokens: v.exactOptional(COUNT),
  reasoning_tokens: v.exactOptional(COUNT),
  requests: v.exactOptional(COUNT),
  basis: v.exactOptional(v.picklist(["measured", "allocated"])),
});
const asObject = <K extends string>(key: K) =>
  v.pipe(
    NAME,
    v.transform((name) => ({ [key]: name }) as Record<K, string>),
  );

const ROW = v.object({
  id: NAME,
  task: v.union([asObject("id"), TASK]),
  arm: v.exactOptional(NAME),
  pair: v.exactOptional(NAME),
  replicate: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  harness: v.exactOptional(v.union([asObject("label"), HARNESS])),
  model: v.exactOptional(NAME),
  effort: v.exactOptional(NAME),
  started_at: v.exactOptional(MOMENT),
  ended_at: v.exactOptional(MOMENT),
  tier: v.exactOptional(v.picklist(["verified", "reported", "heuristic", "asserted"])),
  verdicts: v.exactOptional(
    v.record(NAME, v.union([v.picklist(["accept", "reject", "pass", "fail", "error"]), v.boolean()])),
  ),
  scores: v.exactOptional(v.record(NAME, v.union([v.nullable(v.pipe(v.number(), v.finite())), SCORE]))),
  events: v.exactOptional(
    v.array(v.object({ name: NAME, ref: v.exactOptional(NAME), at: v.exactOptional(MOMENT) })),
  ),
  status: v.exactOptional(
    v.picklist(["done", "failed", "rejected", "canceled", "settled_unverified", "lost"]),
  ),
  cost: v.exactOptional(COST),
  session: v.exactOptional(NAME),
  rule: v.exactOptional(v.union([NAME, v.record(v.string(), v.unknown())])),
});

/** One rollout of an evaluation: a task, tried once by one agent in one harness. */
export type HarnessRow = v.InferOutput<typeof ROW> & {
  /** Of the file, from 1. */
  readonly line: number;
};

export interface HarnessRows {
  readonly schema: string;
  readonly rows: readonly HarnessRow[];
  /** Lines that could not be taken; the others are. */
  readonly refused: readonly { readonly line: number; readonly error: string }[];
  /** Members that no reader knows, where the file has another tool's schema. */
  readonly unknown: readonly string[];
}

const OURS = "loopwright.harness-runs/0.1";
const KNOWN = new Set([...Object.keys(ROW.entries), "schema"]);

/**
 * JSON Lines, one rollout each; blank lines are skipped. A first line with a `schema` and no `id` gives members to all
 * that follow. What is wrong with a line is said by its number.
 */
export function readHarnessRows(text: string): HarnessRows {
  const rows: HarnessRow[] = [];
  const refused: { line: number; error: string }[] = [];
  const ids = new Set<string>();
  const unknown = new Set<string>();
  let defaults: Readonly<Record<string, unknown>> = {};
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    const refuse = (error: string): void => void refused.push({ line: index + 1, error });
    const found = objectOf(line);
    if (found === undefined) {
      refuse("not a JSON object");
      continue;
    }
    if (
      found["id"] === undefined &&
      typeof found["schema"] === "string" &&
      rows.length + refused.length === 0
    ) {
      defaults = found;
      continue;
    }
    const parsed = v.safeParse(ROW, { ...defaults, ...found });
    if (!parsed.success) refuse(said(parsed.issues[0]));
    else if (ids.has(parsed.output.id)) refuse(`the id ${parsed.output.id} is there twice`);
    else {
      ids.add(parsed.output.id);
      rows.push({ ...parsed.output, line: index + 1 });
      for (const key of Object.keys(found)) if (!KNOWN.has(key)) unknown.add(key);
    }
  }
  const schema = typeof defaults["schema"] === "string" ? defaults["schema"] : OURS;
  return { schema, rows, refused, unknown: schema === OURS ? [] : [...unknown].sort() };
}

function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? Object.fromEntries(Object.entries(parsed)) : undefined;
  } catch {
    return undefined;
  }
}

function said(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? "";
  if (issue.received === "undefined") return `"${path}" is missing`;
  return `"${path}" is ${issue.received}, expected ${issue.expected ?? issue.message}`;
}
