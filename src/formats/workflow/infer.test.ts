import fc from "fast-check";
import { expect, test } from "vitest";
import { inferWorkflow, type SeenSession } from "./infer.ts";
import { inferConfiguration } from "./infer-ocp.ts";
import type { Role } from "./roles.ts";

function session(node: string, role: Role | undefined, more: Partial<SeenSession> = {}): SeenSession {
  const plain = { isGuessed: false, isOutside: false, hasLaunched: false };
  return {
    node,
    role,
    ...plain,
    startMs: 0,
    endMs: 10,
    harness: "codex",
    model: "m-1",
    effort: "high",
    ...more,
  };
}

function infer(...sessions: readonly SeenSession[]) {
  const nodes = [...new Set(sessions.map(({ node }) => node))].map((id) => ({ id, isCheck: false }));
  return inferWorkflow(sessions, nodes, 0.85);
}

test("one agent at a time is the implement middle, and its reviewers' sessions are the rounds", () => {
  const after = { startMs: 10, endMs: 20 };
  const found = infer(
    session("a", "implementer"),
    session("b", "implementer", after),
    session("r", "reviewer"),
    session("r", "reviewer", after),
  );
  expect(found).toMatchObject({ shape: "implement_review", confidence: 0.85, reasons: [] });
  expect(found?.workflow.control.rounds).toBe(2);
});

test("workers at it side by side are a team, with a referee they are candidates", () => {
  const pair = [session("a", "worker"), session("b", "worker", { startMs: 9, endMs: 30 })];
  expect(infer(...pair)?.shape).toBe("team");
  const found = infer(...pair, session("s", "referee"));
  expect(found?.shape).toBe("best_of_n");
  expect(found?.workflow.pieces[0]?.width).toBe(2);
  expect(Object.fromEntries(found?.pieceOf ?? [])).toEqual({ a: "implement", b: "implement", s: "select" });
});

test("more than six at a time count as six, and it is said", () => {
  const many = Array.from({ length: 8 }, (_, i) => session(`w${i}`, "worker"));
  const found = infer(...many);
  expect(found?.workflow.pieces[0]?.width).toBe(6);
  expect(found).toMatchObject({ confidence: 0.8, reasons: [expect.stringContaining("more than 6")] });
});

test("a lead that gave its work away planned, one that did it itself did not", () => {
  const lead = session("l", "worker", { hasLaunched: true });
  expect(infer(lead, session("a", "implementer", { startMs: 10, endMs: 20 }))?.shape).toBe("plan_implement");
  expect(infer(lead)?.shape).toBe("solo");
});

test("a run of planners only is read as one where they did the work", () => {
  expect(infer(session("p", "planner"))?.shape).toBe("solo");
});

test("a piece without a model does it as the working piece does, and that makes it less sure", () => {
  const { model: _, ...silent } = session("r", "reviewer");
  const found = infer(session("a", "implementer"), silent);
  expect(found?.settings["review"]).toEqual(found?.settings["implement"]);
  expect(found?.confidence).toBe(0.75);
});

test("of equally common settings the costlier one is taken, and the mix is said", () => {
  const found = infer(
    session("a", "implementer", { usd: 1 }),
    session("b", "implementer", { startMs: 10, endMs: 20, model: "m-2", usd: 2 }),
  );
  expect(found?.settings["implement"]?.model).toBe("m-2");
  expect(found?.reasons).toHaveLength(1);
  expect(found?.confidence).toBe(0.775);
});

test("without any model nothing is inferred", () => {
  const { model: _, ...silent } = session("a", "implementer");
  expect(infer(silent)).toBeUndefined();
  expect(inferConfiguration({ nodes: [{ id: "a" }], attempts: [{ node: "a" }] })).toBeUndefined();
});

const anySession = fc.record({
  node: fc.constantFrom("a", "b", "c"),
  role: fc.constantFrom<Role | undefined>(
    undefined,
    "planner",
    "implementer",
    "reviewer",
    "referee",
    "worker",
  ),
  isGuessed: fc.boolean(),
  isOutside: fc.boolean(),
  hasLaunched: fc.boolean(),
  startMs: fc.nat(20),
  endMs: fc.nat(20),
  model: fc.constantFrom("m-1", "m-2"),
});

test("whatever the sessions were, every piece has a setting, every node a piece, and sureness a bound", () => {
  fc.assert(
    fc.property(fc.array(anySession, { minLength: 1, maxLength: 12 }), (sessions) => {
      const found = infer(...sessions);
      const pieces = found?.workflow.pieces.map(({ id }) => id) ?? [];
      expect(Object.keys(found?.settings ?? {})).toEqual(pieces);
      expect([...(found?.pieceOf.values() ?? [])].every((piece) => pieces.includes(piece))).toBe(true);
      expect(found?.pieceOf.size).toBe(new Set(sessions.map(({ node }) => node)).size);
      expect(found?.confidence).toBeGreaterThanOrEqual(0.05);
      expect(found?.confidence).toBeLessThanOrEqual(0.99);
    }),
  );
});
