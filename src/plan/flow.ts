import type { GateFacts, WorkflowFacts } from "../learn/index.ts";

/** Pieces that work in rounds together, in order, and the gates that act after some of them. */
export interface Loop {
  readonly pieces: readonly string[];
  readonly gates: readonly GateFacts[];
}

/** How a workflow runs: pieces that run once, and loops. Loops that share a piece are one. */
export interface Flow {
  readonly single: readonly string[];
  readonly loops: readonly Loop[];
}

export function flowOf(workflow: WorkflowFacts): Flow {
  const order = workflow.pieces.map(({ id }) => id);
  const groups: { pieces: Set<string>; gates: GateFacts[] }[] = [];
  for (const gate of workflow.gates) {
    const pieces = piecesBetween(workflow, gate.sendsBackTo ?? gate.piece, gate.piece);
    const touching = groups.filter((group) => [...pieces].some((piece) => group.pieces.has(piece)));
    const merged = { pieces: new Set(pieces), gates: [gate] };
    for (const group of touching) {
      for (const piece of group.pieces) merged.pieces.add(piece);
      merged.gates.push(...group.gates);
      groups.splice(groups.indexOf(group), 1);
    }
    groups.push(merged);
  }
  const loops = groups.map(({ pieces, gates }) => ({
    pieces: order.filter((piece) => pieces.has(piece)),
    gates: [...gates].sort((a, b) => order.indexOf(a.piece) - order.indexOf(b.piece)),
  }));
  const looped = new Set(loops.flatMap(({ pieces }) => pieces));
  return { single: order.filter((piece) => !looped.has(piece)), loops };
}

/** Pieces on a way from `first` to `last`, both included. */
function piecesBetween(workflow: WorkflowFacts, first: string, last: string): ReadonlySet<string> {
  const after = new Set([first]);
  for (const { id, dependsOn } of workflow.pieces) {
    if (dependsOn.some((piece) => after.has(piece))) after.add(id);
  }
  const before = new Set([last]);
  for (const { id, dependsOn } of [...workflow.pieces].reverse()) {
    if (before.has(id)) for (const piece of dependsOn) before.add(piece);
  }
  const between = new Set([...after].filter((piece) => before.has(piece)));
  return between.size === 0 ? new Set([first, last]) : between;
}

/** How far a loop gets, draw by draw. Lists are by round, from the first. */
export interface LoopReach {
  readonly loop: Loop;
  /** The chance that the round starts and its first gates pass, by their number: 0 gates first, all of them last. */
  readonly reach: readonly (readonly Float64Array[])[];
  /** The chance that every gate passes once the round has started. */
  readonly passes: readonly Float64Array[];
  /** The chance that the rounds run out on a no. */
  readonly exhausted: Float64Array;
  /** How many gates act before each piece. */
  readonly gatesBefore: ReadonlyMap<string, number>;
}

/**
 * The expectation of a loop. In a round each piece is reached if the gates before it passed; a no of any gate ends
 * the round. `passProbs` are by gate, then by round; rounds beyond them are like the last one.
 */
export function walkLoop(
  loop: Loop,
  rounds: number,
  passProbs: readonly (readonly Float64Array[])[],
  draws: number,
): LoopReach {
  const order: number[] = [];
  const gatesBefore = new Map<string, number>();
  for (const id of loop.pieces) {
    gatesBefore.set(id, order.length);
    loop.gates.forEach(({ piece }, g) => {
      if (piece === id) order.push(g);
    });
  }
  const ones: Float64Array = new Float64Array(draws).fill(1);
  const distinct = passProbs.reduce((most, byRound) => Math.max(most, byRound.length), 1);
  const inside = Array.from({ length: Math.min(rounds, distinct) }, (_, k) => {
    const products = [ones];
    for (const g of order) {
      const byRound = passProbs[g] ?? [];
      products.push(product(products.at(-1), byRound[Math.min(k, byRound.length - 1)]));
    }
    return products;
  });
  const reach: Float64Array[][] = [];
  const passes: Float64Array[] = [];
  let here: Float64Array = ones;
  for (let k = 0; k < rounds; k += 1) {
    const own = inside[Math.min(k, inside.length - 1)] ?? [];
    const start = here;
    const all = own.at(-1) ?? ones;
    reach.push(own.map((passed) => (start === ones ? passed : product(start, passed))));
    passes.push(all);
    here = failing(start, all);
  }
  return { loop, reach, passes, exhausted: here, gatesBefore };
}

function product(a: Float64Array = new Float64Array(), b: Float64Array = new Float64Array()): Float64Array {
  const all = new Float64Array(a.length);
  for (let d = 0; d < all.length; d += 1) all[d] = (a[d] ?? 0) * (b[d] ?? 0);
  return all;
}

function failing(start: Float64Array, pass: Float64Array): Float64Array {
  const all = new Float64Array(start.length);
  for (let d = 0; d < all.length; d += 1) all[d] = (start[d] ?? 0) * (1 - (pass[d] ?? 0));
  return all;
}
