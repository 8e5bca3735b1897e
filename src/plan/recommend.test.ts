import { describe, expect, test } from "vitest";
import type { OcpDocument } from "../formats/ocp/index.ts";
import { fitBelief, monthOf, readRun, type TaskFacts } from "../learn/index.ts";
import { SHIPPED_PRIOR } from "../learn/prior/load.ts";
import { aRun } from "../testing/run-documents.ts";
import { candidatesOf } from "./candidates.ts";
import type { Offer } from "./offer.ts";
import type { Question, Recommendation } from "./question.ts";
import { recommend } from "./recommend.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const EFFORTS = ["low", "high"];
const OFFERS: readonly Offer[] = [
  { harness: "claude-code", model: "claude-opus-5-5", efforts: EFFORTS },
  { harness: "codex", model: "gpt-6-luna", efforts: EFFORTS },
];
const TASK: TaskFacts = { type: "bug_fix", repo: "acme/api", features: new Map() };

function ask(documents: readonly OcpDocument[], more: Partial<Question> = {}): Recommendation {
  const facts = documents.map((document) => {
    const isDone = document.attempts?.at(-1)?.status === "done";
    return readRun({ document, z: isDone ? 1 : 0, tier: "verified" }, NOW);
  });
  const question: Question = {
    task: TASK,
    candidates: candidatesOf(documents, [], OFFERS),
    rescue: { kind: "retry" },
    horizonRuns: 20,
    ...more,
  };
  const found = recommend(fitBelief(facts, SHIPPED_PRIOR), question, monthOf(NOW));
  if (found === undefined) throw new Error("no candidates");
  return found;
}

/** Luna is what was used; Opus passes almost always and costs little more. */
const WINNER = [
  ...Array.from({ length: 16 }, (_, n) => aRun(n, "gpt-6-luna", n % 4 === 0, 0.8)),
  ...Array.from({ length: 14 }, (_, n) => aRun(100 + n, "claude-opus-5-5", n !== 5, 1)),
];

describe("a recommendation", { timeout: 60_000 }, () => {
  test("without runs ranks by cost, claims no chance and names the pair that teaches most", () => {
    const found = ask([]);
    expect(found.reason).toBe("cheapest-without-a-chance");
    expect(found.pick.isChanceKnown).toBe(false);
    expect(found.pair?.[0].candidate.id).toBe(found.pick.candidate.id);
    expect(found.pair?.[1].candidate.id).not.toBe(found.pick.candidate.id);
    expect(found.explorations).toEqual([]);
    for (const { costUsd } of found.curve)
      expect(costUsd.mean).toBeGreaterThanOrEqual(found.pick.costUsd.mean);
  });

  test("moves to the clear winner of 30 runs, and says what that saves", () => {
    const current = WINNER[0]?.run.configuration?.id;
    const found = ask(WINNER, current === undefined ? {} : { currentId: current });
    expect(found.reason).toBe("saves-more-than-noise");
    expect(found.pick.name).toContain("claude-opus-5-5");
    expect(found.pick.isChanceKnown).toBe(true);
    expect(found.saving?.prob).toBeGreaterThan(0.8);
    expect(found.pick.success.mean).toBeGreaterThan(found.current?.success.mean ?? 1);
  });

  test("keeps what runs now while nothing is better by more than the noise", () => {
    const even = Array.from({ length: 24 }, (_, n) =>
      aRun(n, n % 2 === 0 ? "gpt-6-luna" : "claude-opus-5-5", n % 3 !== 0, 1),
    );
    const id = even[1]?.run.configuration?.id;
    const found = ask(even, id === undefined ? {} : { currentId: id });
    expect(found.pick.candidate.id).toBe(id);
    expect(found.reason).toBe("current-kept");
  });

  test("never picks a model that is not offered any more, though its runs stay data", () => {
    const current = WINNER[20]?.run.configuration?.id;
    const luna = OFFERS.filter(({ model }) => model === "gpt-6-luna");
    const found = ask(WINNER, {
      candidates: candidatesOf(WINNER, [], luna),
      ...(current !== undefined && { currentId: current }),
    });
    expect(found.current?.name).toContain("claude-opus-5-5");
    for (const { members } of found.options)
      for (const { choice } of members) expect(choice.name).not.toContain("claude-opus-5-5");
    expect(found.options.map(({ number }) => number)).toEqual(found.options.map((_, i) => i + 1));
  });

  test("is the same for the same question, whatever the order of the runs", () => {
    const text = (found: Recommendation) => JSON.stringify([found.pick, found.curve, found.explorations]);
    expect(text(ask([...WINNER].reverse()))).toBe(text(ask(WINNER)));
  });

  test("suggests only explorations that pay within the horizon and fit the budget", () => {
    const found = ask(WINNER, { budgetUsd: 0 });
    expect(found.explorations).toEqual([]);
    for (const pick of ask(WINNER).explorations) {
      expect(pick.paybackRuns).toBeLessThanOrEqual(20);
      expect(pick.gainUsd).toBeGreaterThan(0);
    }
  });

  test("corrects every chance that it shows, and keeps the one from before beside the forecast", () => {
    const plain = ask(WINNER);
    const found = ask(WINNER, { recalibration: { alpha: -0.5, beta: 1, runs: 100 } });
    const chance = ({ curve }: Recommendation, id: string) =>
      curve.find(({ candidate }) => candidate.id === id)?.success.mean ?? 0;
    const id = plain.pick.candidate.id;
    expect(chance(found, id)).toBeLessThan(chance(plain, id));
    const forecast = found.options[0]?.members[0]?.forecast;
    expect(forecast?.success).toEqual(found.pick.success);
    expect(forecast?.uncorrectedProb).toBeGreaterThan(found.pick.success.mean);
    expect(plain.options[0]?.members[0]?.forecast.uncorrectedProb).toBeUndefined();
  });

  test("with a score target weighs the chance to reach it, once enough runs have the score", () => {
    const scored = WINNER.map((document, n): OcpDocument => {
      const value = document.attempts?.[0]?.model?.id === "gpt-6-luna" ? 0.95 : 0.5;
      const score = { id: "s2", kind: "score", name: "quality", value, scale: "fraction" } as const;
      const { signals = [], started_at = "" } = document.run;
      const measured = { ...score, observed_at: started_at, tier: "verified" } as const;
      return n % 3 === 0
        ? document
        : { ...document, run: { ...document.run, signals: [...signals, measured] } };
    });
    const target = { name: "quality", target: 0.8, better: "higher" } as const;
    const found = ask(scored, { target });
    expect(found.successFrom).toBe("score_head");
    expect(found.pick.name).toContain("gpt-6-luna");
    expect(found.options[0]?.members[0]?.forecast.success).toEqual(found.pick.success);
    expect(ask(WINNER, { target }).successFrom).toBe("success_head");
  });
});
