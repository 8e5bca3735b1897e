import type { PieceFacts, WorkflowFacts } from "../learn/index.ts";
import { type KeyedStream, keyedStream } from "../learn/kernels/keyed-random.ts";
import { at } from "../learn/kernels/vector.ts";
import { agentPieces } from "../learn/rows/terms.ts";
import { type Amounts, DISTINCT_ROUNDS, isJudged } from "./amounts.ts";
import type { Flow } from "./flow.ts";
import type { GateChances } from "./through-gates.ts";

/** A piece with what its attempts take and their luck, by round and by copy. */
interface Played {
  readonly piece: PieceFacts;
  readonly isJudged: boolean;
  readonly lnAmount: readonly Float64Array[];
  readonly luck: (round: number) => readonly Float64Array[];
}

/** A gate with its chances and its luck by round. */
interface Guard {
  readonly piece: string;
  readonly chances: readonly Float64Array[];
  readonly luck: (round: number) => Float64Array;
}

/** Plays runs through, one in each draw. The same seed gives the same luck to every configuration. */
export class Simulator {
  readonly #seed: number;
  readonly #draws: number;
  readonly #known = new Map<string, Float64Array>();

  constructor(seed: number, draws: number) {
    this.#seed = seed;
    this.#draws = draws;
  }

  #numbers(key: string, drawn: (stream: KeyedStream, count: number) => Float64Array): Float64Array {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = drawn(keyedStream(this.#seed, `simulate/${key}`), this.#draws);
    this.#known.set(key, made);
    return made;
  }

  #normals(key: string): Float64Array {
    return this.#numbers(key, (stream, count) => stream.normals(count));
  }

  #uniforms(key: string): Float64Array {
    return this.#numbers(key, (stream, count) => stream.uniforms(count));
  }

  /** What one run takes in each draw: its attempts share the run's noise, its gates are drawn. */
  run(
    workflow: WorkflowFacts,
    flow: Flow,
    amounts: Amounts,
    gates: GateChances,
    success: Float64Array,
  ): Float64Array {
    const pieces = new Map(agentPieces(workflow).map((piece) => [piece.id, piece] as const));
    const played = (id: string, judged: boolean): readonly Played[] => {
      const piece = pieces.get(id);
      if (piece === undefined) return [];
      const luck = byRound((k) =>
        Array.from({ length: piece.width }, (_, copy) => this.#normals(`${id}/${k}/${copy}`)),
      );
      return [{ piece, isJudged: judged, lnAmount: amounts.byPiece.get(id) ?? [], luck }];
    };
    const single = flow.single.flatMap((id) => played(id, flow.loops.length === 0));
    const loops = flow.loops.map((loop) => ({
      pieces: loop.pieces.map((id) => ({ id, played: played(id, isJudged(loop.gates, id))[0] })),
      guards: loop.gates.map((gate): Guard => {
        const luck = byRound((k) => this.#uniforms(`${gate.id}/${k}`));
        return { piece: gate.piece, chances: gates.get(gate) ?? [], luck };
      }),
    }));
    const shared = this.#normals("run");
    const accepted = this.#uniforms("accepted");
    return success.map((chance, d) => {
      const noise = at(amounts.omega, d) * at(shared, d);
      const isMiss = at(accepted, d) > chance;
      let total = 0;
      for (const one of single) total += attempt(one, 0, one.isJudged && isMiss, amounts, noise, d);
      for (const { pieces: looped, guards } of loops) {
        for (let k = 0; k < workflow.rounds; k += 1) {
          const saysNo = guards.find((guard) => isNo(guard, k, d));
          for (const { id, played: one } of looped) {
            if (one !== undefined) {
              total += attempt(one, k, saysNo !== undefined && one.isJudged, amounts, noise, d);
            }
            if (saysNo?.piece === id) break;
          }
          if (saysNo === undefined) break;
        }
      }
      return total;
    });
  }
}

function attempt(
  { lnAmount, luck }: Played,
  k: number,
  isFailed: boolean,
  amounts: Amounts,
  shared: number,
  d: number,
): number {
  const ln = at(lnAmount[Math.min(k, DISTINCT_ROUNDS - 1, lnAmount.length - 1)] ?? [], d);
  const sigma = at(amounts.sigma, d);
  let sum = 0;
  for (const normals of luck(k)) sum += Math.exp(ln + shared + sigma * at(normals, d));
  return isFailed ? sum * at(amounts.failedFactor, d) : sum;
}

function isNo({ chances, luck }: Guard, k: number, d: number): boolean {
  const pass = at(chances[Math.min(k, DISTINCT_ROUNDS - 1)] ?? [], d);
  return at(luck(k), d) > pass;
}

/** Made for the rounds that are reached. */
function byRound<T>(make: (round: number) => T): (round: number) => T {
  const made: T[] = [];
  return (round) => {
    made[round] ??= make(round);
    return made[round];
  };
}
