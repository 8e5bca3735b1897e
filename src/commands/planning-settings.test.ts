import { describe, expect, test } from "vitest";
import { must } from "../core/result.ts";
import { parseConfig } from "../formats/config/index.ts";
import { offersOf } from "./offers.ts";
import { planningSettings } from "./planning-settings.ts";

const config = (toml: string) => must(parseConfig(toml));
const settings = (toml: string, flags: Readonly<Record<string, string | number>> = {}) =>
  planningSettings(config(toml), { args: [], flags });

describe("how a miss is priced", () => {
  test("is by running again, as often and as hopefully as is set", () => {
    const toml = '[rescue]\nkind = "retry"\ndecay = 0.4\nmax_attempts = 5\nmin_chance = 0.6\n';
    expect(must(settings(toml)).rescue).toEqual({ kind: "retry", decay: 0.4, attempts: 5, minProb: 0.6 });
    expect(must(settings("")).rescue).toEqual({ kind: "retry" });
  });

  test("is by a person's hours where their price is set, and refused where it is not", () => {
    const toml = '[rescue]\nkind = "person"\nhours = 0.5\n';
    expect(must(settings(`${toml}person_usd_per_hour = 80\n`)).rescue).toEqual({ kind: "fixed", usd: 40 });
    expect(settings(toml)).toMatchObject({ ok: false, problem: { code: "bad-input" } });
  });

  test("is what a flag says, whatever is configured", () => {
    const toml = '[rescue]\nkind = "person"\n';
    expect(must(settings(toml, { rescue: "redo_usual" })).rescue).toEqual({ kind: "redo_usual" });
    expect(must(settings(toml, { rescueUsd: 2_500_000 })).rescue).toEqual({ kind: "fixed", usd: 2.5 });
  });
});

test("a goal is asked for by chance, and `default` asks for none", () => {
  expect(must(settings('goal = "p80"')).goalProb).toBe(0.8);
  expect(must(settings('goal = "p80"', { goal: "default" })).goalProb).toBeUndefined();
});

describe("what is offered", () => {
  const BOTH = ["claude-code", "codex"];
  const offers = (toml: string, installed = BOTH, wanted?: readonly string[]) =>
    offersOf(config(toml), installed, [], wanted);
  const modelsOf = (toml: string, installed?: string[], wanted?: readonly string[]) =>
    offers(toml, installed, wanted).offers.map(({ harness, model }) => `${harness}:${model}`);

  test("is what is installed, or everything with a note where nothing is", () => {
    expect(modelsOf("", ["codex"]).every((name) => name.startsWith("codex:"))).toBe(true);
    expect(offers("", []).notes).toEqual(["no agent was found here (looked for claude-code, codex)"]);
    expect(offers("", []).offers.length).toBeGreaterThan(3);
  });

  test("is bounded by the allowed models and harnesses; a flag goes before the configuration", () => {
    const toml = 'models = { allowed = ["gpt-6-luna", "claude-new-9"] }\n';
    expect(modelsOf(toml)).toEqual(["codex:gpt-6-luna", "claude-code:claude-new-9"]);
    expect(modelsOf(toml, BOTH, ["gpt-6-sol"])).toEqual(["codex:gpt-6-sol"]);
    expect(modelsOf('harnesses = ["codex"]').some((name) => name.startsWith("claude-code"))).toBe(false);
  });

  test("has the harness that is configured for a model, and says where nothing runs one", () => {
    expect(modelsOf('harnesses = { "house-1" = "codex" }', BOTH, ["house-1"])).toEqual(["codex:house-1"]);
    expect(offers('harnesses = ["codex"]', BOTH, ["claude-opus-5-5"])).toMatchObject({
      offers: [],
      notes: ["nothing here runs claude-opus-5-5"],
    });
  });

  test("has the efforts that are configured for the model, else for the harness", () => {
    const toml = '[efforts]\ncodex = ["low", "high"]\n"gpt-6-sol" = ["low"]\n';
    const efforts = new Map(offers(toml).offers.map(({ model, efforts: list }) => [model, list]));
    expect(efforts.get("gpt-6-sol")).toEqual(["low"]);
    expect(efforts.get("gpt-6-luna")).toEqual(["low", "high"]);
    expect(efforts.get("claude-opus-5-5")).toContain("max");
  });
});
