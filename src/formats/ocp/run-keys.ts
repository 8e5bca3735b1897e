import { asList, dig, entities, textAt } from "./members.ts";

/** What a stored run is found by besides the columns of a list: the commits that it made and its labels. */
export interface FoundBy {
  readonly commits: readonly string[];
  /** Each as `name=value`. */
  readonly labels: readonly string[];
}

const COMMIT = /^[0-9a-f]{7,64}$/;

/** Reads the keys of any parsed document; a malformed part has none. Each key once, sorted. */
export function runKeys(document: unknown): FoundBy {
  const commits = new Set<string>();
  for (const { value, id } of entities(dig(document, "artifacts"), [])) {
    const kind = textAt(value, "kind", "value");
    if (kind !== "commit" && kind !== "merge") continue;
    for (const named of [textAt(value, "path"), id?.replace(/^(commit|merge):/, "")]) {
      const hash = named?.toLowerCase();
      if (hash !== undefined && COMMIT.test(hash)) commits.add(hash);
    }
  }
  const labels = dig(document, "run", "labels");
  const pairs =
    typeof labels === "object" && labels !== null && asList(labels) === undefined
      ? Object.entries(labels).filter(([, value]) => typeof value === "string")
      : [];
  return {
    commits: [...commits].sort(),
    labels: pairs.map(([name, value]) => `${name}=${value}`).sort(),
  };
}
