import { describe, expect, test } from "vitest";
import { parseLoop } from "../formats/loop/index.ts";
import { MINIMAL_LOOP } from "../testing/minimal-loop.ts";
import { planLoop } from "./plan-loop.ts";
import type { AgentPiece, PlanPiece } from "./spec.ts";

const CHECKS = "  checks:\n";
const JUDGED =
  "    - {target: green, name: voice, mode: subjective, statement: x, detector: {type: judge, standard: y}}\n";
const PROVIDERS = "      - {id: codex, kind: codex, command: codex}\n";
const STRONG = "      - {id: third, kind: byok, command: third, args: [x]}\n";

async function planned(change: (text: string) => string) {
  const { loop, findings } = await parseLoop(change(MINIMAL_LOOP), "loop.yaml");
  if (loop === undefined) throw new Error(JSON.stringify(findings));
  return planLoop(loop);
}

async function piecesOf(change: (text: string) => string): Promise<ReadonlyMap<string, PlanPiece>> {
  const plan = await planned(change);
  if (!plan.ok) throw new Error(plan.problem.message);
  return new Map(plan.value.map((piece) => [piece.id, piece]));
}

function agent(pieces: ReadonlyMap<string, PlanPiece>, id: string): AgentPiece {
  const piece = pieces.get(id);
  if (piece?.kind !== "agent") throw new Error(`${id} is no agent's piece`);
  return piece;
}

describe("who does a piece", () => {
  test("is the tier's providers in turn, and no judge is one that may build", async () => {
    const pieces = await piecesOf((text) => text.replace(PROVIDERS, PROVIDERS + STRONG));
    expect(agent(pieces, "build")).toMatchObject({ provider: "claude" });
    expect(agent(pieces, "build").fallbacks).toBeUndefined();
    expect(agent(pieces, "read")).toMatchObject({ provider: "codex", fallbacks: ["third"] });
  });

  test("is anybody where judges need not be independent", async () => {
    const free = (text: string): string =>
      text.replace("  providers:\n", "  providers:\n    enforce_judge_independence: false\n");
    const pieces = await piecesOf(free);
    for (const id of ["build", "read"])
      expect(agent(pieces, id)).toMatchObject({ provider: "claude", fallbacks: ["codex"] });
  });

  test("is refused for a judge that only builders could serve", async () => {
    const plan = await planned((text) => text.replace(PROVIDERS, ""));
    expect(plan).toMatchObject({ ok: false, problem: { code: "judge-not-independent" } });
  });
});

describe("a judged check", () => {
  test("is asked of the judge, read by a piece of its own, and sent back to all", async () => {
    const pieces = await piecesOf((text) => text.replace(CHECKS, CHECKS + JUDGED));
    expect(agent(pieces, "read")).toMatchObject({ answers: "judgement", judges: [{ name: "voice" }] });
    expect(pieces.get("read verdict")).toMatchObject({
      kind: "verdict",
      of: "read",
      onFail: { sendBack: ["build", "read"] },
    });
  });

  test("needs a judge, and a check beside it that runs", async () => {
    const unjudged = await planned((text) =>
      text.replace(CHECKS, CHECKS + JUDGED).replace("role: judge", "role: researcher"),
    );
    expect(unjudged).toMatchObject({ ok: false, problem: { code: "missing-judge" } });
    const alone = await planned((text) =>
      text
        .replace(CHECKS, CHECKS + JUDGED)
        .replaceAll("mode: objective", "mode: objective\n      blocking: false"),
    );
    expect(alone).toMatchObject({ ok: false, problem: { code: "missing-check" } });
  });
});

describe("a phase", () => {
  const phased = (text: string): string =>
    text
      .replace(
        "  providers:\n",
        "  phases: {items: [{name: one, guideline: Build and no more.}, {name: two, guideline: Read and no more.}], dependency: [one -> two]}\n  providers:\n",
      )
      .replace("role: builder", "role: builder\n        stage: one\n        goals: [green]")
      .replace("role: judge,", "role: judge, stage: two,");

  test("waits for the checks of the one before, and only the last one is opened again", async () => {
    const pieces = await piecesOf(phased);
    expect(pieces.get("phase one")).toMatchObject({ kind: "gate", goals: ["green"], dependsOn: ["build"] });
    expect(agent(pieces, "read").after).toEqual(["phase one"]);
    expect(agent(pieces, "build").instruction).toContain("Stay inside this phase");
    expect(pieces.get("gate")).toMatchObject({
      dependsOn: ["build", "read"],
      onFail: { sendBack: ["read"] },
    });
  });

  test("without anything to check is over when its pieces are", async () => {
    const pieces = await piecesOf((text) => phased(text).replace("\n        goals: [green]", ""));
    expect(pieces.has("phase one")).toBe(false);
    expect(agent(pieces, "read").after).toEqual(["build"]);
  });
});
