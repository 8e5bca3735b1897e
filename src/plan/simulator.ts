import type { GateFacts, PieceFacts, WorkflowFacts } from "../learn/index.ts";
import { type KeyedStream, keyedStream } from "../learn/kernels/keyed-random.ts";
import { at } from "../learn/kernels/vector.ts";
import { agentPieces } from "../learn/rows/terms.ts";
import { type Amounts, amountAt, DISTINCT_ROUNDS, isJudged } from "./amounts.ts";
import type { Flow } from "./flow.ts";

type GateChances = ReadonlyMap<GateFacts, readonly Float64Array[]>;

/** Plays runs through, one in each draw. The same seed gives the same luck to every configuration. */
export class Simulator {
  readonly #seed: number;
  readonly #draws: number;
  readonly #known = new Map<string, Float64Array>();

  constructor(seed: number, draws: number) {
    this.#seed = seed;
    this.#draws = draws;
  }

  #numbers(key: string, drawn: (stream: KeyedStream, d: number) => number): Float64Array {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const stream = keyedStream(this.#seed, `simulate/${key}`);
    const made = Float64Array.from({ length: this.#draws }, (_, d) => drawn(stream, d));
    this.#known.set(key, made);
    return made;
  }

  #normals(key: string): Float64Array {
    return this.#numbers(key, (stream, d) => stream.normal(d));
  }

  #uniforms(key: string): Float64Array {
    return this.#numbers(key, (stream, d) => stream.uniform(d));
  }

  /** What one run takes: its attempts share the run's noise, its gates are drawn. */
  run(
    workflow: WorkflowFacts,
    flow: Flow,
    amounts: Amounts,
    gates: GateChances,
    success: number,
    d: number,
  ): number {
    const shared = at(amounts.omega, d) * at(this.#normals("run"), d);
    const attempt = (piece: PieceFacts, k: number, isFailed: boolean): number => {
      const round = Math.min(k, DISTINCT_ROUNDS - 1);
      let sum = 0;
      for (let copy = 0; copy < piece.width; copy += 1) {
        const noise = at(amounts.sigma, d) * at(this.#normals(`${piece.id}/${k}/${copy}`), d);
        sum += Math.exp(amountAt(amounts, piece.id, round, d) + shared + noise);
      }
      return isFailed ? sum * Math.exp(at(amounts.failed, d)) : sum;
    };
    const pieces = new Map(agentPieces(workflow).map((piece) => [piece.id, piece] as const));
    let total = 0;
    const isMiss = at(this.#uniforms("accepted"), d) > success;
    for (const id of flow.single) {
      const piece = pieces.get(id);
      if (piece !== undefined) total += attempt(piece, 0, flow.loops.length === 0 && isMiss);
    }
    for (const loop of flow.loops) {
      for (let k = 0; k < workflow.rounds; k += 1) {
        const saysNo = loop.gates.find((gate) => this.#saysNo(gate, gates, k, d));
        for (const id of loop.pieces) {
          const piece = pieces.get(id);
          if (piece !== undefined)
            total += attempt(piece, k, saysNo !== undefined && isJudged(loop.gates, id));
          if (saysNo?.piece === id) break;
        }
        if (saysNo === undefined) break;
      }
    }
    return total;
  }

  #saysNo(gate: GateFacts, gates: GateChances, k: number, d: number): boolean {
    const pass = at(gates.get(gate)?.[Math.min(k, DISTINCT_ROUNDS - 1)] ?? [], d);
    return at(this.#uniforms(`${gate.id}/${k}`), d) > pass;
  }
}
