import fc from "fast-check";
import { expect, test } from "vitest";
import { FIELD_SUPPORT } from "../../src/commands/loop-support.ts";
import type { JsonObject } from "../../src/core/canonical-json.ts";
import { loopSchema, parseLoop } from "../../src/formats/loop/index.ts";
import { documentsOf } from "../../src/testing/loop-documents.ts";

/** Rewritten by `npm run schemas`. */
test("the published JSON Schema of loop files is what the reader knows", async () => {
  await expect(`${JSON.stringify(loopSchema(), null, 2)}\n`).toMatchFileSnapshot(
    "../../schemas/loop-1.0.schema.json",
  );
});

test("every document that the schema allows has a meaning for the reader", async () => {
  await fc.assert(
    fc.asyncProperty(documentsOf(loopSchema()), async (document) => {
      const read = await parseLoop(JSON.stringify(document), "loop.json");
      // An arrow between phases has a grammar of its own, which a schema does not hold.
      const odd = read.findings.filter(
        ({ code, path, message }) =>
          code === "unknown-key" ||
          (/expected|missing; expected/.test(message) && !path.includes("dependency[")),
      );
      expect(odd).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

/** Every path of the schema that ends in a value, lists as `[]`, names of the author's as `*`. */
function leavesOf(schema: JsonObject, path = ""): readonly string[] {
  const below = (key: string) => (path === "" ? key : `${path}.${key}`);
  if (Array.isArray(schema["oneOf"])) return [path];
  if (schema["type"] === "array") {
    const items = schema["items"] as JsonObject;
    return items["type"] === "object" ? leavesOf(items, `${path}[]`) : [path];
  }
  const named = schema["additionalProperties"];
  if (typeof named === "object") return leavesOf(named as JsonObject, below("*"));
  const properties = schema["properties"] as JsonObject | undefined;
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([key, member]) => leavesOf(member as JsonObject, below(key)));
}

test("of every field it is said whether the engine acts on it", () => {
  const rows = Object.keys(FIELD_SUPPORT);
  const covers = (row: string, leaf: string) =>
    leaf === row || leaf.startsWith(`${row}.`) || leaf.startsWith(`${row}[`);
  const otherSpellings = /\b(pieces\[|per_piece\b|max_revisions_per_piece\b)/;
  const leaves = leavesOf(loopSchema()).filter((leaf) => !otherSpellings.test(leaf));
  expect(leaves.filter((leaf) => !rows.some((row) => covers(row, leaf)))).toEqual([]);
  const judges = "safety.checks[].detector.judge";
  expect(rows.filter((row) => row !== judges && !leaves.some((leaf) => covers(row, leaf)))).toEqual([]);
});
