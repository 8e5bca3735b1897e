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
