import type { Loop, LoopGoal, LoopPiece } from "../formats/loop/index.ts";
import { heaviestChains } from "../graph/index.ts";

/** A number, so that two of them differ by nothing. */
const LAST = Number.MAX_SAFE_INTEGER;

/**
 * The pieces in the order in which those that are ready are begun: goals before the goals that build on them, then by the
 * priority of goals, 1 before 2 and both before none, then the piece with the heaviest chain behind it, which is the
 * schedule that was foretold; else as the file has them.
 */
export function inDispatchOrder(loop: Loop): readonly LoopPiece[] {
  const chains = heaviestChains(loop.pieces);
  const depths = goalDepths(loop.goals);
  const priorities = new Map(loop.goals.map(({ name, priority = LAST }) => [name, priority]));
  const first = ({ goals }: LoopPiece, ranks: ReadonlyMap<string, number>, without: number): number =>
    goals.length === 0 ? without : Math.min(...goals.map((goal) => ranks.get(goal) ?? without));
  return loop.pieces.toSorted(
    (a, b) =>
      first(a, depths, 0) - first(b, depths, 0) ||
      first(a, priorities, LAST) - first(b, priorities, LAST) ||
      (chains.get(b.id) ?? 0) - (chains.get(a.id) ?? 0),
  );
}

/** How many goals a goal builds on, one above the other. In a circle none comes first. */
function goalDepths(goals: readonly LoopGoal[]): ReadonlyMap<string, number> {
  const depths = new Map(goals.map(({ name }) => [name, 0]));
  for (let round = 0; round < goals.length; round += 1) {
    let isSettled = true;
    for (const { name, dependsOn } of goals) {
      const depth = Math.max(0, ...dependsOn.map((other) => (depths.get(other) ?? -1) + 1));
      if (depth === depths.get(name)) continue;
      depths.set(name, depth);
      isSettled = false;
    }
    if (isSettled) return depths;
  }
  return new Map();
}
