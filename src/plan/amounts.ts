import type { GateFacts, HeadDraws, WorkflowFacts } from "../learn/index.ts";
import { at } from "../learn/kernels/vector.ts";
import { agentPieces, type Term } from "../learn/rows/terms.ts";
import type { LoopReach } from "./flow.ts";

/** From the third round on every round looks alike. */
export const DISTINCT_ROUNDS = 3;

/** What the attempts of each piece take, in ln dollars or ln tokens, draw by draw. */
export interface Amounts {
  readonly byPiece: ReadonlyMap<string, readonly Float64Array[]>;
  readonly failed: Float64Array;
  readonly sigma: Float64Array;
  readonly omega: Float64Array;
}

/** The sums of a first round, a second and a later one: the round is one more term. */
export function byRound(head: HeadDraws, first: readonly Term[], rounds: number): readonly Float64Array[] {
  const base = head.sum(first);
  const later = ["round:2", "round:3+"].slice(0, rounds - 1).map((node) => {
    const step = head.sum([[node, 1]]);
    return base.map((value, d) => value + at(step, d));
  });
  return [base, ...later];
}

export function amountAt(amounts: Amounts, piece: string, round: number, d: number): number {
  const byRound = amounts.byPiece.get(piece) ?? [];
  return at(byRound[Math.min(round, byRound.length - 1)] ?? [], d);
}

export function isJudged(gates: readonly GateFacts[], piece: string): boolean {
  return gates.some((gate) => (gate.sendsBackTo ?? gate.piece) === piece);
}

/** A piece as the expected amount of a run needs it. */
interface Share {
  readonly width: number;
  readonly byRound: readonly Float64Array[];
  readonly reach: Float64Array | undefined;
  readonly passes: Float64Array | undefined;
  /** Whether a no of a gate makes its attempt dearer. */
  readonly isJudged: boolean;
}

export function sharesOf(
  workflow: WorkflowFacts,
  amounts: Amounts,
  loops: readonly LoopReach[],
): readonly Share[] {
  return agentPieces(workflow).map(({ id, width }) => {
    const room = loops.find(({ pieces }) => pieces.has(id));
    return {
      width,
      byRound: amounts.byPiece.get(id) ?? [],
      reach: room?.pieces.get(id),
      passes: room?.passes,
      isJudged: loops.length === 0 || loops.some(({ loop }) => isJudged(loop.gates, id)),
    };
  });
}

/** Expected amount of a run. An attempt whose gate says no costs more; without gates, one that is not accepted. */
export function spend(shares: readonly Share[], amounts: Amounts, success: number, d: number): number {
  const noise = (at(amounts.sigma, d) ** 2 + at(amounts.omega, d) ** 2) / 2;
  const failed = Math.exp(at(amounts.failed, d));
  let total = 0;
  for (const { width, byRound, reach, passes, isJudged: judged } of shares) {
    const rounds = reach?.length ?? 1;
    let one = 0;
    for (let k = 0; k < rounds; k += 1) {
      const here = reach === undefined ? 1 : at(reach, k);
      if (here < 1e-9) break;
      if (k < byRound.length) one = width * Math.exp(at(byRound[k] ?? [], d) + noise);
      const pass = passes === undefined ? success : at(passes, k);
      total += here * one * (judged ? pass + (1 - pass) * failed : 1);
    }
  }
  return total;
}
