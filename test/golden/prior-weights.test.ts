import { describe, expect, test } from "vitest";
import { refuseNegative, scaleWeights } from "../../scripts/prior/weights.mjs";

const FIGURES = {
  slope_of: {},
  weights: {
    by_benchmark: { lab: { tests: 5 } },
    caution_factor: 0.5,
    cap_terminal_bench_4: 10,
    cap_per_model: 15,
  },
  sources: [{ id: "lab", weight_success: 3, weight_cost_tokens: 1 }],
};

function row(model: string, benchmark: string, pass_rate: number, use = "ok") {
  return { source_id: "lab", benchmark, model, pass_rate, use };
}

function weights(rows: readonly ReturnType<typeof row>[]): readonly number[] {
  return [...scaleWeights(FIGURES, rows).values()].map(({ w }) => w);
}

describe("what published figures weigh in the shipped prior", () => {
  test("several results of a model on one benchmark share the weight of one", () => {
    const several = [0.4, 0.5, 0.6].map((rate) => row("m", "tests", rate));
    expect(weights(several)).toEqual(weights(several.slice(1, 2)));
    expect(weights(several)).toEqual([5]);
  });

  test("no model counts more than its cap over all benchmarks", () => {
    const many = Array.from({ length: 9 }, (_, n) => row("m", `suite-${n}`, 0.5));
    expect(weights(many).reduce((sum, w) => sum + w, 0)).toBeCloseTo(15, 9);
    expect(weights([row("m", "tests", 0.5, "caution")])).toEqual([2.5]);
  });

  test("a negative weight, or one that is no number, is refused by name", () => {
    expect(() => refuseNegative(FIGURES)).not.toThrow();
    for (const weight of [-1, Number.NaN]) {
      const lab = { lab: { tests: weight } };
      expect(() =>
        refuseNegative({ ...FIGURES, weights: { ...FIGURES.weights, by_benchmark: lab } }),
      ).toThrow("lab/tests");
    }
    const sources = [{ id: "lab", weight_cost_tokens: -2 }];
    expect(() => refuseNegative({ ...FIGURES, sources })).toThrow("weight of lab");
  });
});
