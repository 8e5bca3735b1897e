import { at } from "./vector.ts";

/** A natural cubic spline through values at evenly spaced places; `slopeAt` and `valueAt` hold between the ends. */
export interface Spline {
  readonly start: number;
  readonly end: number;
  valueAt(x: number): number;
  slopeAt(x: number): number;
}

export function naturalSpline(start: number, step: number, values: ArrayLike<number>): Spline {
  const last = values.length - 1;
  const bends = secondDerivatives(step, values);
  const piece = (x: number) => {
    const i = Math.min(last - 1, Math.max(0, Math.floor((x - start) / step)));
    const right = (x - start) / step - i;
    return { i, right, left: 1 - right };
  };
  return {
    start,
    end: start + last * step,
    valueAt: (x) => {
      const { i, left, right } = piece(x);
      const bend = (left ** 3 - left) * at(bends, i) + (right ** 3 - right) * at(bends, i + 1);
      return left * at(values, i) + right * at(values, i + 1) + (bend * step * step) / 6;
    },
    slopeAt: (x) => {
      const { i, left, right } = piece(x);
      const bend = (3 * right ** 2 - 1) * at(bends, i + 1) - (3 * left ** 2 - 1) * at(bends, i);
      return (at(values, i + 1) - at(values, i)) / step + (bend * step) / 6;
    },
  };
}

/** Those at the ends are 0; between them a tridiagonal system, solved from left to right and back. */
function secondDerivatives(step: number, values: ArrayLike<number>): Float64Array {
  const count = values.length;
  const bends = new Float64Array(count);
  const ratios = new Float64Array(count);
  for (let i = 1; i < count - 1; i += 1) {
    const jump = (at(values, i + 1) - 2 * at(values, i) + at(values, i - 1)) / (step * step);
    const pivot = 4 - at(ratios, i - 1);
    ratios[i] = 1 / pivot;
    bends[i] = (6 * jump - at(bends, i - 1)) / pivot;
  }
  for (let i = count - 2; i > 0; i -= 1) bends[i] = at(bends, i) - at(ratios, i) * at(bends, i + 1);
  return bends;
}
