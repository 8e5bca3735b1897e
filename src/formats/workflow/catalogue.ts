import { buildShape, type Shape, shapeNamed } from "./shapes.ts";
import type { Workflow } from "./types.ts";

/** Shapes that everybody knows by name, in the order in which they are listed. */
const SHAPES = [
  "solo",
  "best_of_n",
  "plan_implement",
  "implement_review",
  "plan_implement_review",
  "swarm",
] as const;

/** What `go` runs: one agent, and deterministic checks that send the work back. */
const IMPLEMENT_CHECK: Workflow = {
  id: "implement_check",
  version: 1,
  title: "Do it until the checks pass",
  pieces: [
    { id: "implement", role: "implementer", width: 1, extra: {} },
    { id: "check", role: "tester", width: 1, extra: {} },
  ],
  artifacts: [
    { id: "issue", kind: "issue", extra: {} },
    { id: "repo", kind: "repo", extra: {} },
    { id: "diff", kind: "diff", extra: {} },
    { id: "verdict", kind: "verdict", extra: {} },
  ],
  edges: [
    ["issue", "implement"],
    ["repo", "implement"],
    ["implement", "diff"],
    ["diff", "check"],
    ["check", "verdict"],
  ],
  control: {
    gates: [{ id: "g_check", after: "check", rule: "tests_pass", onFail: "implement", extra: {} }],
    rounds: 10,
    rescue: { kind: "person", extra: {} },
    extra: {},
  },
  extra: {},
};

export const CATALOGUE_IDS: readonly string[] = [...SHAPES, IMPLEMENT_CHECK.id];

/** The workflows of the catalogue, in order. */
export function catalogue(): readonly Workflow[] {
  return [...catalogueShapes().map(buildShape), IMPLEMENT_CHECK];
}

export function catalogueShapes(): readonly Shape[] {
  return SHAPES.flatMap((name) => shapeNamed(name) ?? []);
}

/** A workflow by its name: of the catalogue, or composed of the same parts (`plan_team`, `best_of_n_review` ...). */
export function namedWorkflow(
  name: string,
): { readonly workflow: Workflow; readonly origin: "catalog" | "composed" } | undefined {
  if (name === IMPLEMENT_CHECK.id) return { workflow: IMPLEMENT_CHECK, origin: "catalog" };
  const shape = shapeNamed(name);
  if (shape === undefined) return undefined;
  return { workflow: buildShape(shape), origin: CATALOGUE_IDS.includes(name) ? "catalog" : "composed" };
}
