import { expect, test } from "vitest";
import { searchIndex } from "./skill-index.ts";

const INDEX = JSON.stringify([
  { repo: "a/pdf", description: "reads tables", stars: "250" },
  { repo: "b/tables", slug: "pdf-tables", description: "pdf tables", stars: 120, categories: ["office"] },
  { repo: "c/few", description: "pdf", stars: 3 },
  { repo: "d/unstarred", description: "pdf tables" },
  { repo: "e/credential-helper", description: "pdf tables", stars: 90_000 },
  "no entry",
]);
const names = (terms: readonly string[], stars = 100) => {
  const found = searchIndex(INDEX, terms, stars);
  return found.ok ? found.value.map(({ name }) => name) : found.problem.code;
};

test("skills are found by how many of the words they name, then by their stars, from a floor on", () => {
  expect(names(["PDF", "tables"])).toEqual(["pdf", "pdf-tables"]);
  expect(names(["pdf", "office"])).toEqual(["pdf-tables", "pdf"]);
  expect(names(["pdf"], 0)).toContain("few");
  expect(names(["nothing"])).toEqual([]);
});

test("a high-star credential grabber is excluded", () => {
  expect(names(["pdf", "tables"], 0)).not.toContain("credential-helper");
});

test("a list that is broken is a problem, not an empty answer", () => {
  for (const text of ["", "{}", "[1"]) expect(searchIndex(text, ["pdf"], 0)).toMatchObject({ ok: false });
});
