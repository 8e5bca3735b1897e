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

/** How far a loop gets. Lists are by round, from the first. */
export interface LoopReach {
  readonly loop: Loop;
  /** The chance that the round starts. */
  readonly rounds: Float64Array;
  /** The chance that the loop ends there with every gate passed. */
  readonly ends: Float64Array;
  /** The chance that every gate passes once the round has started. */
  readonly passes: Float64Array;
  /** The chance that a piece runs. */
  readonly pieces: ReadonlyMap<string, Float64Array>;
  /** The chance that the rounds run out on a no. */
  exhausted: number;
}

/** Room for the answer of `walkLoop`, to be used again for every draw. */
export function loopRoom(loop: Loop, rounds: number): LoopReach {
  const room = () => new Float64Array(rounds);
  return {
    loop,
    rounds: room(),
    ends: room(),
    passes: room(),
    pieces: new Map(loop.pieces.map((id) => [id, room()] as const)),
    exhausted: 1,
  };
}

/**
 * The expectation of a loop. In a round each piece is reached if the gates before it passed; a no of any gate ends
 * the round. `passProb` gets the gate's place in the loop and the round, from 1.
 */
export function walkLoop(room: LoopReach, passProb: (gate: number, round: number) => number): void {
  const { loop } = room;
  let here = 1;
  for (let k = 0; k < room.rounds.length; k += 1) {
    room.rounds[k] = here;
    let inside = 1;
    for (const [id, reach] of room.pieces) {
      reach[k] = here * inside;
      for (let g = 0; g < loop.gates.length; g += 1) {
        if (loop.gates[g]?.piece === id) inside *= passProb(g, k + 1);
      }
    }
    room.passes[k] = inside;
    room.ends[k] = here * inside;
    here *= 1 - inside;
  }
  room.exhausted = here;
}
