import { type BeliefPoint, type HeadBelief, unseenPrior } from "../fit/head-belief.ts";
import { keyedStream } from "../kernels/keyed-random.ts";
import { at } from "../kernels/vector.ts";
import type { Term } from "../rows/terms.ts";

/**
 * Joint draws from a head's belief. An effect has the same random numbers in every configuration, so that a
 * difference of two configurations is a difference of what tells them apart.
 */
export class HeadDraws {
  readonly count: number;
  readonly #head: HeadBelief;
  readonly #name: string;
  readonly #seed: number;
  /** The point that each draw comes from. */
  readonly #points: readonly BeliefPoint[];
  readonly #columns = new Map<string, Float64Array>();
  readonly #noise: { readonly sigma: Float64Array; readonly omega: Float64Array };
  #seen: readonly Float64Array[] | undefined;

  constructor(head: HeadBelief, name: string, seed: number, count: number) {
    this.#head = head;
    this.#name = name;
    this.#seed = seed;
    this.count = count;
    this.#points = resample(head.points, count);
    const noise = { sigma: new Float64Array(count), omega: new Float64Array(count) };
    for (const [d, { sigma, omega }] of this.#points.entries()) {
      noise.sigma[d] = sigma;
      noise.omega[d] = omega;
    }
    this.#noise = noise;
  }

  /** The sum of the terms in each draw, four at a time: a candidate has dozens of terms. */
  sum(terms: readonly Term[]): Float64Array {
    const total = new Float64Array(this.count);
    const nothing: Part = { value: 0, column: total.slice() };
    for (let k = 0; k < terms.length; k += 4) {
      const part = (i: number): Part => {
        const term = terms[k + i];
        return term === undefined ? nothing : { value: term[1], column: this.effect(term[0]) };
      };
      addFour(total, part(0), part(1), part(2), part(3));
    }
    return total;
  }

  /** Standard deviations of a row's and of a run's noise in each draw. */
  noise(): { readonly sigma: Float64Array; readonly omega: Float64Array } {
    return this.#noise;
  }

  /** One effect in each draw. */
  effect(id: string): Float64Array {
    const known = this.#columns.get(id);
    if (known !== undefined) return known;
    const j = this.#head.nodes.index.get(id);
    const column = j === undefined ? this.#unseen(id) : (this.#seenColumns()[j] ?? this.#unseen(id));
    this.#columns.set(id, column);
    return column;
  }

  #unseen(id: string): Float64Array {
    const column = this.#normals(id);
    const priors = new Map<BeliefPoint, { mean: number; sd: number }>();
    for (const point of this.#head.points) {
      const { mean, variance } = unseenPrior(point, id);
      priors.set(point, { mean, sd: Math.sqrt(variance) });
    }
    for (let d = 0; d < column.length; d += 1) {
      const point = this.#points[d];
      const own = point === undefined ? undefined : priors.get(point);
      if (own !== undefined) column[d] = own.mean + own.sd * (column[d] ?? 0);
    }
    return column;
  }

  /** The standard normal numbers that belong to an effect. */
  #normals(id: string): Float64Array {
    return keyedStream(this.#seed, `${this.#name}/${id}`).normals(this.count);
  }

  /** All draws of all effects that have rows, one column per effect. */
  #seenColumns(): readonly Float64Array[] {
    if (this.#seen !== undefined) return this.#seen;
    const n = this.#head.nodes.ids.length;
    const columns = this.#head.nodes.ids.map((id) => this.#normals(id));
    const z = new Float64Array(n);
    for (let d = 0; d < this.count; d += 1) {
      const point = this.#points[d];
      if (point === undefined) continue;
      for (let j = 0; j < n; j += 1) z[j] = columns[j]?.[d] ?? 0;
      point.posterior.draw(z);
      for (let j = 0; j < n; j += 1) {
        const column = columns[j];
        if (column !== undefined) column[d] = at(point.mean, j) + at(z, j);
      }
    }
    this.#seen = columns;
    return columns;
  }
}

interface Part {
  readonly value: number;
  readonly column: Float64Array;
}

function addFour(total: Float64Array, a: Part, b: Part, c: Part, d: Part): void {
  const [a1, b1, c1, d1] = [a.value, b.value, c.value, d.value];
  const [a2, b2, c2, d2] = [a.column, b.column, c.column, d.column];
  for (let i = 0; i < total.length; i += 1) {
    total[i] =
      (total[i] ?? 0) + a1 * (a2[i] ?? 0) + b1 * (b2[i] ?? 0) + c1 * (c2[i] ?? 0) + d1 * (d2[i] ?? 0);
  }
}

/** Which point each draw comes from: evenly by weight, the first draw half a step in. */
function resample(points: readonly BeliefPoint[], count: number): readonly BeliefPoint[] {
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const chosen: BeliefPoint[] = [];
  let passed = 0;
  let index = 0;
  for (let d = 0; d < count; d += 1) {
    const target = ((d + 0.5) / count) * total;
    while (index < points.length - 1 && passed + (points[index]?.weight ?? 0) < target) {
      passed += points[index]?.weight ?? 0;
      index += 1;
    }
    const point = points[index];
    if (point !== undefined) chosen.push(point);
  }
  // Draws of one point would else be neighbors, and other heads' points would line up with them.
  const stride = coprimeStride(count);
  return chosen
    .map((_, d) => chosen[(d * stride) % count] ?? chosen[0])
    .filter((point) => point !== undefined);
}

function coprimeStride(count: number): number {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
  let stride = Math.max(1, Math.round(count * 0.618));
  while (gcd(stride, count) > 1) stride += 1;
  return stride;
}
