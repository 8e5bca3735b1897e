import { expect, test } from "vitest";
import type { ShippedPrior } from "../belief.ts";
import { shippedPrior } from "../fit/prior-table.ts";
import { withListPrices } from "./list-prices.ts";

const PRIOR: ShippedPrior = {
  version: "2026-11-29",
  design_version: 1,
  heads: {
    cost: {
      groups: { model: { ln_phi_mean: Math.log(0.4), ln_phi_sd: 0.4 } },
      nodes: [
        { id: "family:openai/luna", mean: -0.9, sd: 0.3, runs: 4 },
        { id: "family:openai/sol", mean: 0.1, sd: 0.3, runs: 4 },
        { id: "model:gpt-5.5-luna", mean: 0.2, sd: 0.4, runs: 3 },
        { id: "model:gpt-5.6-luna", mean: -0.2, sd: 0.4, runs: 1 },
        { id: "model:gpt-5.6-sol", mean: 0.5, sd: 0.4, runs: 1 },
      ],
    },
  },
};
const LN_PRICES: Readonly<Record<string, number>> = {
  "gpt-5.5-luna": 1,
  "gpt-5.6-luna": 1.4,
  "gpt-5.6-sol": 2,
  "gpt-6-luna": 2,
  "gpt-6-comet": 2.5,
  "grok-9": 1,
};

function added(...models: string[]) {
  const prior = withListPrices(PRIOR, models, (model) => LN_PRICES[model]);
  return prior.heads.cost?.nodes.slice(PRIOR.heads.cost?.nodes.length) ?? [];
}

test("a new model costs what its family does, moved by the ratio of list prices", () => {
  const [luna, ...others] = added("gpt-6-luna");
  expect(others).toEqual([]);
  expect(luna).toMatchObject({ id: "model:gpt-6-luna", runs: 0 });
  expect(luna?.mean).toBeCloseTo((3 * (0.2 + 1) + 1 * (-0.2 + 0.6)) / 4, 12);
});

test("a new family costs what the maker's models do, moved by the ratio of list prices", () => {
  const [comet] = added("gpt-6-comet");
  const moved = [3 * (-0.9 + 0.2 + 1.5), 1 * (-0.9 - 0.2 + 1.1), 1 * (0.1 + 0.5 + 0.5)];
  expect(comet?.mean).toBeCloseTo(moved.reduce((sum, value) => sum + value, 0) / 5, 12);
});

test("published costs stay as they are, and nothing is said without a price or a priced model beside it", () => {
  expect(added("gpt-5.6-luna", "openai/gpt-5.6-sol", "gpt-7-luna", "grok-9")).toEqual([]);
  expect(withListPrices(PRIOR, ["grok-9"], () => undefined)).toBe(PRIOR);
});

test("a list price moves what is thought of a model and leaves it as uncertain", () => {
  const wide = (prior: ShippedPrior) =>
    shippedPrior("cost", prior.heads.cost ?? { groups: {}, nodes: [] }).node("model:gpt-6-luna").variance;
  const prior = withListPrices(PRIOR, ["gpt-6-luna"], (model) => LN_PRICES[model]);
  expect(wide(prior)).toBeCloseTo(wide(PRIOR), 12);
});
