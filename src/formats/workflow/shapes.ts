import { defaultRule } from "./roles.ts";
import type { Workflow, WorkflowGate, WorkflowPiece } from "./types.ts";

const MIDDLES = ["implement", "best_of_n", "team"] as const;
type Middle = (typeof MIDDLES)[number];

/** A workflow out of three parts: is there a plan, who does the work, is there a review. */
export interface Shape {
  readonly plan: boolean;
  readonly middle: Middle;
  readonly review: boolean;
  /** Of the parallel middles, 2 to 6. */
  readonly width: number;
  /** With a review, 1 to 6, the first round counted; 1 without. */
  readonly rounds: number;
}

export const DEFAULT_WIDTH = 3;
export const DEFAULT_ROUNDS = 3;
const MOST = 6;
const NAMES: Readonly<Record<string, string>> = { implement: "solo", plan_team_review: "swarm" };
const TITLES: Readonly<Record<string, string>> = {
  solo: "One agent does it",
  best_of_n: "Several agents try, a referee picks",
  plan_implement: "Plan, then do it",
  implement_review: "Do it, have it reviewed, mend it",
  plan_implement_review: "Plan, do it, have it reviewed, mend it",
  swarm: "Plan, share the work, have it reviewed",
};

/** Every shape there is: 154, in the order plan, middle, review, width, rounds. */
export function allShapes(): readonly Shape[] {
  const shapes: Shape[] = [];
  for (const plan of [false, true])
    for (const middle of MIDDLES)
      for (const width of middle === "implement" ? [1] : range(2, MOST)) {
        shapes.push({ plan, middle, review: false, width, rounds: 1 });
        for (const rounds of range(1, MOST)) shapes.push({ plan, middle, review: true, width, rounds });
      }
  return shapes;
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** The catalogue id where the shape has one, else its parts joined by `_`. */
export function shapeName(shape: Pick<Shape, "plan" | "middle" | "review">): string {
  const parts = [...(shape.plan ? ["plan"] : []), shape.middle, ...(shape.review ? ["review"] : [])].join(
    "_",
  );
  return NAMES[parts] ?? parts;
}

/** The shape of a name such as `plan_team`, with the default width and rounds; undefined when there is none. */
export function shapeNamed(name: string): Shape | undefined {
  return allShapes().find(
    (shape) =>
      shapeName(shape) === name &&
      shape.width === (shape.middle === "implement" ? 1 : DEFAULT_WIDTH) &&
      shape.rounds === (shape.review ? DEFAULT_ROUNDS : 1),
  );
}

/** The workflow of a shape. */
export function buildShape(shape: Shape): Workflow {
  const { plan, middle, review } = shape;
  const best = middle === "best_of_n";
  const working = middle === "team" ? "work" : "implement";
  const id = shapeName(shape);
  const pieces: WorkflowPiece[] = [
    ...(plan ? [piece("plan", "planner")] : []),
    piece(working, middle === "team" ? "worker" : "implementer", shape.width),
    ...(best ? [piece("select", "referee")] : []),
    ...(review ? [piece("review", "reviewer")] : []),
  ];
  const kinds: Readonly<Record<string, string>> = { plan_doc: "plan", candidates: "diff" };
  const artifacts = [
    "issue",
    "repo",
    ...(plan ? ["plan_doc"] : []),
    ...(best ? ["candidates"] : []),
    "diff",
    ...(review ? ["verdict"] : []),
  ].map((name) => ({ id: name, kind: kinds[name] ?? name, extra: {} }));
  const gates = [
    ...(best ? [gate("select", "referee")] : []),
    ...(review ? [gate("review", "reviewer", working)] : []),
  ];
  const title = TITLES[id];
  return {
    id,
    version: 1,
    ...(title !== undefined && { title }),
    pieces,
    artifacts,
    edges: edgesOf(shape, working),
    control: { gates, rounds: shape.rounds, rescue: REDO_USUAL, extra: {} },
    extra: {},
  };
}

/** Do the usual way of working instead, which is the planner's to know. */
export const REDO_USUAL = { kind: "configuration", ref: "usual", extra: {} } as const;

function piece(id: string, role: string, width = 1): WorkflowPiece {
  return { id, role, width, extra: {} };
}

function gate(after: string, role: string, onFail?: string): WorkflowGate {
  return {
    id: `g_${after}`,
    after,
    rule: defaultRule(role),
    ...(onFail !== undefined && { onFail }),
    extra: {},
  };
}

function edgesOf({ plan, middle, review }: Shape, working: string): Workflow["edges"] {
  const best = middle === "best_of_n";
  const edges: (readonly [string, string])[] = [];
  if (plan) edges.push(["issue", "plan"], ["repo", "plan"], ["plan", "plan_doc"]);
  edges.push(["issue", working], ["repo", working]);
  if (plan) edges.push(["plan_doc", working]);
  edges.push([working, best ? "candidates" : "diff"]);
  if (best) edges.push(["candidates", "select"], ["issue", "select"], ["select", "diff"]);
  if (review) edges.push(["diff", "review"], ["issue", "review"]);
  if (review && plan) edges.push(["plan_doc", "review"]);
  if (review) edges.push(["review", "verdict"]);
  return edges;
}

/**
 * The catalogue's shape that is nearest to another one: 1 for each difference in plan or review, 2 between the two
 * parallel middles, 3 between `implement` and a parallel one. Ties: same middle, then the smaller shape, then
 * catalogue order.
 */
export function nearestInCatalogue(shape: Shape, catalogue: readonly Shape[]): Shape | undefined {
  const rank = (other: Shape): readonly number[] => [
    Number(other.plan !== shape.plan) + Number(other.review !== shape.review) + middleDistance(other, shape),
    Number(other.middle !== shape.middle),
    buildShape(other).pieces.length,
  ];
  return [...catalogue].sort((a, b) => compareRanks(rank(a), rank(b)))[0];
}

function middleDistance(a: Shape, b: Shape): number {
  if (a.middle === b.middle) return 0;
  return a.middle === "implement" || b.middle === "implement" ? 3 : 2;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}
