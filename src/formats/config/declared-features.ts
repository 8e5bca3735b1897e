import type { Json } from "../../core/canonical-json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { FEATURES, type Feature } from "../workflow/task-types.ts";
import type { Config } from "./config.ts";
import { formatKeyPath, parseKeyPath } from "./path.ts";

const MOST = 16;
const MOST_VALUES = 12;
const KEY = /^[a-z][a-z0-9_]{0,31}$/;
const VALUE = /^[a-z0-9][a-z0-9_.+-]{0,31}$/;

/**
 * The features of tasks that the user declares: `values` for a category, `edges` and `labels` for a number (below
 * `edges[i]` it reads as `labels[i]`), neither for a yes or no. Runs keep what was said of them, so that a changed
 * declaration reads old runs anew. Problem: `bad-input` with the key.
 */
export function declaredFeatures({ values }: Config): Result<readonly Feature[]> {
  const keys = new Set<string>();
  for (const name of values.keys()) {
    const path = parseKeyPath(name);
    const key = path.ok && path.value[0] === "features" ? path.value[1] : undefined;
    if (key !== undefined) keys.add(key);
  }
  if (keys.size > MOST)
    return fail("bad-input", `${keys.size} features are declared, at most ${MOST} can be`);
  const declared: Feature[] = [];
  for (const key of [...keys].sort()) {
    const feature = featureOf(key, (member) => values.get(formatKeyPath(["features", key, member])));
    if (!feature.ok) return feature;
    declared.push(feature.value);
  }
  return ok(declared);
}

function featureOf(key: string, member: (name: string) => Json | undefined): Result<Feature> {
  const bad = (why: string) => fail("bad-input", `the feature ${key} ${why}`);
  if (!KEY.test(key)) return bad("needs a name of lower-case letters, digits and _");
  if (FEATURES.some((one) => one.key === key)) return bad("is built in");
  const [description, values, edges, labels] = [
    member("description"),
    wordsOf(member("values")),
    numbersOf(member("edges")),
    wordsOf(member("labels")),
  ];
  const head = { key, description: typeof description === "string" ? description : "declared by you" };
  const words = values ?? labels ?? [];
  if (words.length > MOST_VALUES) return bad(`has ${words.length} values, at most ${MOST_VALUES} can be`);
  const odd = words.find((word) => !VALUE.test(word));
  if (odd !== undefined) return bad(`has the value "${odd}", expected a lower-case word`);
  if (edges === undefined && labels === undefined) {
    return ok(
      values === undefined
        ? { ...head, kind: "bool", values: ["yes", "no"] }
        : { ...head, kind: "category", values },
    );
  }
  if (values !== undefined) return bad("has values, and edges or labels beside them");
  if (labels?.length !== (edges?.length ?? 0) + 1) return bad("needs one label more than it has edges");
  if (edges?.some((edge, i) => i > 0 && edge <= (edges[i - 1] ?? edge)) === true)
    return bad("needs edges that ascend");
  return ok({ ...head, kind: "category", values: labels, ...(edges !== undefined && { edges }) });
}

function wordsOf(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

function numbersOf(value: Json | undefined): readonly number[] | undefined {
  return Array.isArray(value) ? value.map(Number) : undefined;
}
