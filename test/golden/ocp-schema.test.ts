import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatOcp, ocpSchema } from "../../src/formats/ocp/index.ts";
import { breaches } from "../../src/formats/ocp/schema.ts";
import { sharedData } from "./shared-data.ts";

/** Rewritten by `npx vitest run --project unit -u test/golden/ocp-schema.test.ts`. */
test("the published JSON Schema is the one that the check uses", async () => {
  const text = formatOcp(JSON.parse(JSON.stringify(ocpSchema("0.3"))));
  await expect(text).toMatchFileSnapshot("../../schemas/ocp-v0.3.schema.json");
});

const shapes = sharedData("reference/ocp-v0.3.shape.json");
const corpus = sharedData("corpus/ocp");

test.skipIf(shapes === undefined || corpus === undefined)(
  "a changed sample breaks our schema where it breaks the reference's",
  () => {
    const documents = readdirSync(corpus ?? "", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ocp.json"))
      .map((name) => JSON.parse(readFileSync(join(corpus ?? "", name), "utf8")));
    const samples = documents.flatMap((document) =>
      pathsOf(document).map((path) => ({ document, path, version: document.ocp as "0.1" | "0.2" | "0.3" })),
    );
    const shapeOf = new Map(
      (["0.1", "0.2", "0.3"] as const).map((version) => [version, readShape(version)] as const),
    );
    const odd = fc.constantFrom(null, true, -1, 1.5, "", "x".repeat(501), "x".repeat(101), [], {}, [
      "a",
      "a",
    ]);
    fc.assert(
      fc.property(fc.constantFrom(...samples), odd, ({ document, path, version }, value) => {
        const changed = replaced(document, path, value);
        const ours = breaches(ocpSchema(version), changed);
        const theirs = breaches(shapeOf.get(version) ?? {}, changed);
        expect(ours.map(({ path: at }) => at)).toEqual(theirs.map(({ path: at }) => at));
      }),
      { numRuns: 600 },
    );
  },
);

function readShape(version: string): object {
  return JSON.parse(readFileSync((shapes ?? "").replace("0.3", version), "utf8"));
}

function pathsOf(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).flatMap((key) => [
    [...at, key],
    ...pathsOf(Reflect.get(value, key), [...at, key]),
  ]);
}

function replaced(document: object, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(document);
  const owner = path.slice(0, -1).reduce<object>((at, key) => Reflect.get(at, key), copy);
  Reflect.set(owner, path.at(-1) ?? "", value);
  return copy;
}
