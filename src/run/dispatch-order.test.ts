import { expect, test } from "vitest";
import { parseLoop } from "../formats/loop/index.ts";
import { inDispatchOrder } from "./dispatch-order.ts";

async function order(goals: string, ...nodes: readonly string[]): Promise<readonly string[]> {
  const pieces = nodes.map((node) => `{role: builder, instruction: Do the whole of it., ${node}}`);
  const { loop, findings } = await parseLoop(
    `name: ordered\nintent: {goals: [${goals}]}\nexecution: {graph: {nodes: [${pieces.join(", ")}]}}\n`,
    "loop.yaml",
  );
  if (loop === undefined) throw new Error(JSON.stringify(findings));
  return inDispatchOrder(loop).map(({ id }) => id);
}
const goal = (name: string, more = "") => `{name: ${name}, description: The ${name} is there.${more}}`;

test("of pieces that are ready the one with the heaviest chain behind it comes first, else the file's order counts", async () => {
  expect(
    await order(goal("a"), "id: light", "id: same", "id: chain", "id: end, depends_on: [chain], weight: 9"),
  ).toEqual(["chain", "end", "light", "same"]);
});

test("a goal comes before the goals that build on it, however heavy, and a circle of goals orders nothing", async () => {
  const nodes = ["id: late, goals: [top], weight: 9", "id: early, goals: [base]"];
  expect(await order(`${goal("top", ", depends_on: [base]")}, ${goal("base")}`, ...nodes)).toEqual([
    "early",
    "late",
  ]);
  const circle = `${goal("top", ", depends_on: [base]")}, ${goal("base", ", depends_on: [top]")}`;
  expect(await order(circle, ...nodes)).toEqual(["late", "early"]);
});

test("of goals that build on nothing more the one with the lower number comes first, and one without a number last", async () => {
  const goals = [goal("some"), goal("second", ", priority: 2"), goal("first", ", priority: 1")].join(", ");
  const nodes = ["id: c, goals: [some], weight: 9", "id: b, goals: [second]", "id: a, goals: [first, some]"];
  expect(await order(goals, ...nodes, "id: d")).toEqual(["a", "b", "c", "d"]);
  const base = `${goal("top", ", depends_on: [base], priority: 1")}, ${goal("base", ", priority: 2")}`;
  expect(await order(base, "id: late, goals: [top]", "id: early, goals: [base]")).toEqual(["early", "late"]);
});
