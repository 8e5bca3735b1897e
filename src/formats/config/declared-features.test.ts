import { describe, expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { readFeature } from "../workflow/task-types.ts";
import { declaredFeatures, parseConfig } from "./index.ts";

const declared = (toml: string) => declaredFeatures(must(parseConfig(toml)));
const read = (toml: string, key: string, raw: string) => readFeature(key, raw, must(declared(toml))).value;

describe("a feature of one's own", () => {
  test("is a category by its values, a number by its edges and labels, a yes or no by neither", () => {
    const risk = '[features.risk]\nvalues = ["low", "high"]\n';
    expect([read(risk, "risk", "High"), read(risk, "risk", "medium")]).toEqual(["high", "unknown"]);
    const age = '[features.age]\nedges = [30, 365]\nlabels = ["new", "older", "old"]\n';
    expect(["7", "30", "4000"].map((days) => read(age, "age", days))).toEqual(["new", "older", "old"]);
    expect(read('[features.legacy]\ndescription = "old code"\n', "legacy", "true")).toBe("yes");
  });

  test("that is changed reads what was said before anew", () => {
    const edges = (limit: number) => `[features.age]\nedges = [${limit}]\nlabels = ["new", "old"]\n`;
    expect([read(edges(30), "age", "40"), read(edges(60), "age", "40")]).toEqual(["old", "new"]);
  });

  test.each([
    ['[features.size]\nvalues = ["a"]\n', "is built in"],
    ['[features.Risk]\nvalues = ["a"]\n', "needs a name"],
    ['[features.risk]\nvalues = ["Not a word"]\n', 'has the value "Not a word"'],
    ['[features.age]\nedges = [3]\nlabels = ["a"]\n', "needs one label more"],
    ['[features.age]\nedges = [3, 2]\nlabels = ["a", "b", "c"]\n', "needs edges that ascend"],
    ['[features.age]\nvalues = ["a"]\nlabels = ["a"]\n', "has values, and edges or labels"],
  ])("%s is refused: %s", (toml, why) => {
    expect(declared(toml)).toMatchObject({ problem: { message: expect.stringContaining(why) } });
  });

  test("is one of at most sixteen", () => {
    const toml = Array.from({ length: 17 }, (_, i) => `[features.f${i}]\nvalues = ["a"]\n`).join("");
    expect(declared(toml)).toMatchObject({ problem: { code: "bad-input" } });
  });
});
