import { expect, test } from "vitest";
import { parsePrices } from "./parse.ts";
import { priceWarnings } from "./warn.ts";

const MINIMAL = `
as_of = "2026-11-01"
["model-x"]
input = 4.0
cache_read = 0.4
cache_write = 8.0
output = 20.0
`;

function parsed(text: string): NonNullable<Extract<ReturnType<typeof parsePrices>, { ok: true }>["value"]> {
  const result = parsePrices(text, "prices.toml");
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}
function problems(text: string): readonly (readonly [string, string | undefined])[] {
  const result = parsePrices(text, "prices.toml");
  return result.ok ? [] : result.problems.map((problem) => [problem.message, problem.at]);
}

test("a plain table has one rate for both lifetimes of cache writes", () => {
  expect(parsed(MINIMAL)).toEqual({
    date: "2026-11-01",
    source: "prices.toml",
    webSearchUsd: 0.01,
    models: {
      "model-x": [
        {
          rates: { input: 4, write5m: 8, write1h: 8, read: 0.4, output: 20 },
          longContext: [],
          tiers: {},
          source: "prices.toml",
          isGuess: false,
        },
      ],
    },
  });
});

test("lifetimes, tiers, long context and dated rows are read", () => {
  const table = parsed(`${MINIMAL}
cache_write_5m = 5.0
source = "provider page"
[model-x.tiers]
fast = 2
[[model-x.long_context]]
above = 200000
input = 8
cache_read = 0.8
cache_write = 16
output = 30
[[model-x.dated]]
from = 2026-12-01
input = 3
cache_read = 0.3
cache_write = 6
output = 15
`);
  const rows = table.models["model-x"] ?? [];
  expect(
    rows.map((row) => [row.from, row.rates.input, row.rates.write5m, row.tiers["fast"], row.source]),
  ).toEqual([
    [undefined, 4, 5, 2, "provider page"],
    ["2026-12-01", 3, 6, 2, "provider page"],
  ]);
  expect(rows[0]?.longContext[0]).toMatchObject({ aboveTokens: 200_000, rates: { output: 30 } });
});

test("every mistake of a file is reported at once, with its place", () => {
  const text = `
as_of = "soon"
stray = 1
["model-x"]
input = -1
cache_read = true
output = nan
colour = "red"
todo = "yes"
`;
  expect(problems(text)).toEqual([
    ["stray is no table of a model", "prices.toml: stray"],
    ["unknown key colour", "prices.toml: model-x.colour"],
    ["a rate is missing", "prices.toml: model-x.cache_write"],
    ["a rate is negative", "prices.toml: model-x.input"],
    ["a rate is no number", "prices.toml: model-x.cache_read"],
    ["a rate is no number", "prices.toml: model-x.output"],
    ["todo is neither true nor false", "prices.toml: model-x.todo"],
    ["a day like 2026-11-30 is needed", "prices.toml: as_of"],
  ]);
});

test("a file without a model is a mistake", () => {
  expect(problems('as_of = "2026-11-01"')).toEqual([["no model has a price", "prices.toml"]]);
});

test("text that is no TOML is reported with line and column", () => {
  expect(problems("as_of = \n")[0]?.[1]).toMatch(/^prices\.toml:1:\d+$/);
});

test("an old table, guesses and rates of zero that nobody vouched for are warned of", () => {
  const rates = (write: number, rest: number): string =>
    `input = ${rest}\ncache_read = 0\ncache_write = ${write}\noutput = ${rest}\n`;
  const text = `${MINIMAL}todo = true
["zeros"]
${rates(0, 1)}
["vouched"]
${rates(0, 1)}zero_ok = true
["free"]
${rates(0, 0)}zero_ok = true
`;
  expect(priceWarnings(parsed(text), Date.parse("2026-12-11"))).toEqual([
    "the table is 40 days old",
    "model-x is marked as a guess",
    "zeros costs nothing for write5m",
    "zeros costs nothing for write1h",
    "zeros costs nothing for read",
    "vouched costs nothing for read",
  ]);
});
