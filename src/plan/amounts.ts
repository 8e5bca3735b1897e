import type { GateFacts, HeadDraws, WorkflowFacts } from "../learn/index.ts";
import { at } from "../learn/kernels/vector.ts";
import { agentPieces, type Term } from "../learn/rows/terms.ts";
import type { LoopReach } from "./flow.ts";

/** From the third round on every round looks alike. */
export const DISTINCT_ROUNDS = 3;

/** What the attempts of each piece take, in ln dollars or ln tokens, draw by draw. */
export interface Amounts {
  readonly byPiece: ReadonlyMap<string, readonly Float64Array[]>;
  /** How much dearer a no makes an attempt. */
  readonly failedFactor: Float64Array;
  readonly sigma: Float64Array;
  readonly omega: Float64Array;
  /** What the noise adds to the ln of an expectation. */
  readonly lnNoise: Float64Array;
}

/** The sums of a first round, a second and a later one: the round is one more term. */
export function byRound(head: HeadDraws, first: readonly Term[], rounds: number): readonly Float64Array[] {
  const base = head.sum(first);
  const later = ["round:2", "round:3+"].slice(0, rounds - 1).map((node) => {
    const step = head.effect(node);
    const all = base.slice();
    for (let d = 0; d < all.length; d += 1) all[d] = at(all, d) + at(step, d);
    return all;
  });
  return [base, ...later];
}

export function isJudged(gates: readonly GateFacts[], piece: string): boolean {
  return gates.some((gate) => (gate.sendsBackTo ?? gate.piece) === piece);
}

/** A piece as the expected amount of a run needs it. */
interface Share {
  readonly width: number;
  readonly byRound: readonly Float64Array[];
  /** The loop that it runs in, and how many of its gates act before it. */
  readonly room: LoopReach | undefined;
  readonly gatesBefore: number;
  /** Whether a no of a gate makes its attempt dearer. */
  readonly isJudged: boolean;
}

function sharesOf(workflow: WorkflowFacts, amounts: Amounts, loops: readonly LoopReach[]): readonly Share[] {
  return agentPieces(workflow).map(({ id, width }) => {
    const room = loops.find(({ gatesBefore }) => gatesBefore.has(id));
    return {
      width,
      byRound: amounts.byPiece.get(id) ?? [],
      room,
      gatesBefore: room?.gatesBefore.get(id) ?? 0,
      isJudged: loops.length === 0 || loops.some(({ loop }) => isJudged(loop.gates, id)),
    };
  });
}

/** A round that fewer runs than this reach adds nothing. */
const RARE = 1e-9;

/** Expected amount of a run. An attempt whose gate says no costs more; without gates, one that is not accepted. */
export function spend(
  workflow: WorkflowFacts,
  amounts: Amounts,
  loops: readonly LoopReach[],
  success: Float64Array,
): Float64Array {
  const { failedFactor, lnNoise } = amounts;
  const draws = success.length;
  const total = new Float64Array(draws);
  const one = new Float64Array(draws);
  const always = new Float64Array(draws).fill(1);
  for (const { width, byRound, room, gatesBefore, isJudged: judged } of sharesOf(workflow, amounts, loops)) {
    one.fill(0);
    for (let k = 0; k < (room?.reach.length ?? 1); k += 1) {
      const reach = room?.reach[k]?.[gatesBefore] ?? always;
      const pass = room?.passes[k] ?? success;
      const ln = byRound[k];
      for (let d = 0; d < draws; d += 1) {
        const here = reach[d] ?? 0;
        if (here < RARE) continue;
        if (ln !== undefined) one[d] = width * Math.exp((ln[d] ?? 0) + (lnNoise[d] ?? 0));
        const passed = pass[d] ?? 0;
        const dearer = judged ? passed + (1 - passed) * (failedFactor[d] ?? 0) : 1;
        total[d] = (total[d] ?? 0) + here * (one[d] ?? 0) * dearer;
      }
    }
  }
  return total;
}
