import { calcPrice } from "@pydantic/genai-prices";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PriceRow, PriceTable } from "../../formats/prices/index.ts";
import { catalogueRows } from "./catalogue.ts";
import { microFromFemto } from "./exact.ts";
import { createPrices, loadCatalogue, type PriceableCall } from "./index.ts";
import { canonicalModel, undatedModel } from "./names.ts";
import { rememberedPrices } from "./remembered.ts";

const AT = "2026-11-29T12:00:00.000Z";
const MILLION = 1_000_000;
const prices = createPrices(undefined, catalogueRows);

function row(more: Partial<PriceRow> = {}): PriceRow {
  return {
    rates: { input: 1, output: 2 },
    longContext: [],
    tiers: {},
    source: "test",
    isGuess: false,
    ...more,
  };
}
function table(models: PriceTable["models"]): PriceTable {
  return { date: "2026-11-29", source: "test", webSearchUsd: 0.01, models };
}
function usd(
  model: string,
  usage: object,
  traits?: { tier?: string; webSearchRequests?: number },
  at = AT,
): number | string {
  const cost = prices.price(model, { inputTokens: 0, outputTokens: 0, ...usage }, at, "logged", traits);
  return cost.kind === "known" ? cost.microUsd / 1e6 : `${cost.why}: ${cost.model}`;
}

test("each class of cache tokens has its own price", () => {
  expect(usd("claude-opus-5-5", { inputTokens: MILLION })).toBe(4);
  expect(usd("claude-opus-5-5", { cacheWrite5mTokens: MILLION })).toBe(5);
  expect(usd("claude-opus-5-5", { cacheWrite1hTokens: MILLION })).toBe(8);
  expect(usd("claude-opus-5-5", { cacheReadTokens: MILLION })).toBe(0.2);
  expect(usd("claude-opus-5-5", { outputTokens: MILLION })).toBe(20);
});

test("reasoning costs nothing besides the output that it is part of", () => {
  expect(usd("claude-opus-5-5", { outputTokens: MILLION, reasoningTokens: MILLION })).toBe(20);
});

test("fast speed doubles every token price of the model that has a factor, but not the searches", () => {
  expect(usd("claude-opus-5-5", { cacheReadTokens: MILLION }, { tier: "fast", webSearchRequests: 3 })).toBe(
    0.43,
  );
});

test("a tier without a factor is unknown, and named", () => {
  expect(usd("claude-sonnet-5-5", { inputTokens: 1 }, { tier: "fast" })).toBe(
    "no-price: claude-sonnet-5-5 (fast)",
  );
  expect(usd("gpt-5.1-codex-max", { inputTokens: 1 }, { tier: "priority" })).toContain("no-price");
});

test("OpenAI's priority and flex tiers have their factors", () => {
  expect(usd("gpt-5.6-sol", { outputTokens: MILLION }, { tier: "priority" })).toBe(40);
  expect(usd("gpt-5.5", { outputTokens: MILLION }, { tier: "priority" })).toBe(75);
  expect(usd("gpt-5.6-sol", { outputTokens: MILLION }, { tier: "flex" })).toBe(10);
});

test("above the bound the whole call has the long-context price, cached input counted", () => {
  const at = { cacheReadTokens: 271_000, inputTokens: 999, outputTokens: 1_000 };
  expect(usd("gpt-5.6-sol", at)).toBe(0.132396);
  expect(usd("gpt-5.6-sol", { ...at, inputTokens: 1_000 })).toBe(0.2548);
});

test("long context is decided by each call, never by the sum of several", () => {
  const call = {
    model: "gpt-5.6-sol",
    usage: { inputTokens: 200_000, outputTokens: 0 },
    atMs: Date.parse(AT),
    webSearches: 0,
  };
  expect(prices.priceCalls([call, call], "logged")).toEqual({
    kind: "known",
    microUsd: 1_600_000,
    basis: "logged",
  });
});

test("a call is priced by its own day", () => {
  expect(usd("gpt-5.6-sol", { inputTokens: MILLION / 10 }, {}, "2026-08-20T23:59:59.000Z")).toBe(0.5);
  expect(usd("gpt-5.6-sol", { inputTokens: MILLION / 10 }, {}, "2026-08-21T00:00:00.000Z")).toBe(0.4);
  expect(usd("claude-sonnet-5-5", { cacheReadTokens: MILLION }, {}, "2026-10-06T12:00:00.000Z")).toBe(0.2);
  expect(usd("claude-sonnet-5-5", { cacheReadTokens: MILLION })).toBe(0.1);
});

test("a web search has its fee on top of the tokens", () => {
  expect(usd("claude-opus-5-5", { inputTokens: MILLION }, { webSearchRequests: 3 })).toBe(4.03);
});

test("a model without a price is unknown and named, never 0 and never its neighbour's price", () => {
  expect(usd("claude-opus-9", { inputTokens: 1 })).toBe("no-price: claude-opus-9");
  expect(usd("unknown", { inputTokens: 1 })).toBe("no-price: unknown");
  expect(catalogueRows("claude-sonnet-5-5").map(({ row: found }) => found)).toEqual([undefined]);
});

test("tokens of a class that has no rate make the cost unknown", () => {
  expect(usd("gpt-5.5", { cacheWrite1hTokens: 1 })).toBe("no-price: gpt-5.5");
});

test("a usage without input or output counts has an unknown cost", () => {
  expect(prices.price("claude-opus-5-5", { inputTokens: 5 }, AT, "logged")).toEqual({
    kind: "unknown",
    why: "no-usage",
    model: "claude-opus-5-5",
  });
});

test("the catalogue prices models that the table lacks, by name or dated name", () => {
  expect(usd("claude-opus-4-8", { cacheWrite1hTokens: MILLION })).toBe(10);
  expect(usd("claude-sonnet-4-20250514", { outputTokens: MILLION })).toBe(15);
  expect(usd("claude-3-7-sonnet-20250219", { cacheReadTokens: MILLION })).toBe(0.3);
  expect(usd("claude-sonnet-4-5-20250929", { inputTokens: MILLION })).toBe(6);
});

test("the catalogue is loaded when it is asked for", async () => {
  expect((await loadCatalogue())("claude-opus-4-8")[0]?.row?.rates.input).toBe(5);
  expect(createPrices().row("claude-opus-4-8", Date.parse(AT))).toBeUndefined();
});

test("a price of the catalogue holds from its day on, as the package says of every noon", () => {
  for (const model of ["gpt-5.6-terra", "claude-opus-4-8", "gpt-4o", "deepseek-chat"]) {
    const rows = catalogueRows(model);
    for (let ms = Date.UTC(2024, 0, 1, 12); ms < Date.UTC(2027, 0, 1); ms += 86_400_000) {
      const day = new Date(ms).toISOString().slice(0, 10);
      const said = calcPrice({ output_tokens: MILLION }, model, { timestamp: new Date(ms) });
      const found = rows.findLast(({ from }) => from <= day)?.row;
      if (found !== undefined) expect(found.rates.output).toBe(said?.output_price);
    }
  }
});

test("what the catalogue said is remembered, of models that it does not know too", async () => {
  let kept: string | undefined;
  let saves = 0;
  const memory = {
    read: () => kept,
    save: (text: string) => {
      saves += 1;
      kept = text;
    },
  };
  const models = new Set(["claude-opus-5-5", "claude-opus-4-8[1m]", "gpt-5.6-terra", "nobody-1"]);
  const ask = (version: string) => rememberedPrices(models, undefined, memory, version);
  const [first, again] = [await ask("1"), await ask("1")];
  expect(saves).toBe(1);
  for (const model of models) {
    const found = prices.row(model, Date.parse(AT));
    expect([first.row(model, Date.parse(AT)), again.row(model, Date.parse(AT))]).toEqual([found, found]);
  }
  await ask("2");
  expect(saves).toBe(2);
});

test("what gateways and clients add to a model's name does not hide its price", () => {
  for (const name of [
    "claude-opus-5-5[1m]",
    "anthropic/claude-opus-5-5",
    "us.anthropic.claude-opus-5-5-v1:0",
    "global.anthropic.claude-opus-5-5-v1",
    "claude-opus-5-5@20261001",
    "claude-opus-5-5-20261001",
  ]) {
    expect([name, usd(name, { inputTokens: MILLION })]).toEqual([name, 4]);
  }
});

test("a version that is part of a name stays", () => {
  expect(canonicalModel("deepseek-v3")).toBe("deepseek-v3");
  expect(undatedModel("gpt-5.1-2025-11-13")).toBe("gpt-5.1");
});

test("the user's own table comes before ours", () => {
  const own = createPrices(table({ "claude-opus-5-5": [row()] }));
  expect(own.price("claude-opus-5-5", { inputTokens: MILLION, outputTokens: 0 }, AT, "measured")).toEqual({
    kind: "known",
    microUsd: 1_000_000,
    basis: "measured",
  });
});

test("a guessed price makes an estimate of whatever basis the usage has", () => {
  const own = createPrices(table({ m: [row({ isGuess: true })] }));
  expect(own.price("m", { inputTokens: 1, outputTokens: 0 }, AT, "measured")).toMatchObject({
    basis: "estimated",
  });
});

test("the table's id changes with its content and with nothing else", () => {
  const id = (input: number): string =>
    createPrices(table({ m: [row({ rates: { input, output: 2 } })] })).table.id;
  expect(id(1)).toMatch(/^[0-9a-f]{12}$/);
  expect(id(1)).toBe(id(1));
  expect(id(1)).not.toBe(id(2));
});

test("money is rounded once, half to even", () => {
  const half = 500_000_000n;
  expect([half, 3n * half, 5n * half, half + 1n, half - 1n].map(microFromFemto)).toEqual([0, 2, 2, 1, 0]);
});

test("the price of many calls is the exact sum, in any order, rounded once", () => {
  const call = fc.record({ input: fc.nat(300_000), output: fc.nat(50_000) }).map(
    ({ input, output }): PriceableCall => ({
      model: "claude-haiku-5-5",
      usage: { inputTokens: input, outputTokens: output },
      atMs: Date.parse(AT),
      webSearches: 0,
    }),
  );
  fc.assert(
    fc.property(fc.array(call, { maxLength: 20 }), (calls) => {
      const pico = calls.reduce((sum, { usage }) => {
        const factor = (usage.inputTokens ?? 0) > 100_000 ? 5n : 1n;
        return (
          sum +
          factor * (BigInt(usage.inputTokens ?? 0) * 100_000n + BigInt(usage.outputTokens ?? 0) * 500_000n)
        );
      }, 0n);
      const expected = { kind: "known", microUsd: microFromFemto(pico * 1000n), basis: "logged" };
      expect(prices.priceCalls(calls, "logged")).toEqual(expected);
      expect(prices.priceCalls(calls.toReversed(), "logged")).toEqual(expected);
    }),
  );
});
