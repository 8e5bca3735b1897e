import { at } from "../../learn/kernels/vector.ts";

/** Pairs that tell the two arms apart, up to which the error is spent. */
const LONGEST = 128;

/**
 * Wins from which on a change is adopted, by the number of pairs that tell the two apart, however often one looks: the
 * error of `alpha` is spent along the way, exactly, for arms that are equal. Infinite where too few can adopt anything.
 */
export function anytimeBoundary(alpha: number): readonly number[] {
  const found = known.get(alpha) ?? computeBoundary(alpha);
  known.set(alpha, found);
  return found;
}

const known = new Map<number, readonly number[]>();

function computeBoundary(alpha: number): readonly number[] {
  const bounds: number[] = [Number.POSITIVE_INFINITY];
  let here = Float64Array.of(1);
  let spent = 0;
  for (let m = 1; m <= LONGEST; m += 1) {
    here = Float64Array.from(
      { length: m + 1 },
      (_, wins) => 0.5 * ((here[wins] ?? 0) + (wins > 0 ? (here[wins - 1] ?? 0) : 0)),
    );
    const allowed = alpha * Math.min(1, Math.log2(1 + m) / Math.log2(1 + LONGEST)) - spent;
    let tail = 0;
    let bound = m + 1;
    while (bound > 0 && tail + at(here, bound - 1) <= allowed) {
      bound -= 1;
      tail += at(here, bound);
    }
    here.fill(0, bound);
    spent += tail;
    bounds.push(bound > m ? Number.POSITIVE_INFINITY : bound);
  }
  return bounds;
}

/** The decision after any number of pairs; undefined while neither arm is ahead by enough. */
export function anytimeDecision(wins: number, losses: number, alpha: number): "adopt" | "reject" | undefined {
  const bounds = anytimeBoundary(alpha);
  const bound = bounds[Math.min(wins + losses, LONGEST)] ?? Number.POSITIVE_INFINITY;
  if (wins >= bound) return "adopt";
  return losses >= bound ? "reject" : undefined;
}

/** The level of candidate number `place` (from 1) of a loop, so that all together adopt falsely at most `lifetime` often. */
export function lifetimeAlpha(lifetime: number, place: number): number {
  return (lifetime * 6) / (Math.PI ** 2 * place ** 2);
}
