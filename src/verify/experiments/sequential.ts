import { incompleteBeta } from "../../learn/kernels/beta.ts";
import { at } from "../../learn/kernels/vector.ts";

/** Belief that the candidate wins more than half of the pairs that tell the two apart, from a flat start. */
export function betterProb(wins: number, losses: number): number {
  return 1 - incompleteBeta(0.5, wins + 1, losses + 1);
}

/** The pairs after which a decision may fall: 1, 2, 4, 8 ... and the last one. */
export function looksUpTo(maxPairs: number): readonly number[] {
  const looks: number[] = [];
  for (let look = 1; look < maxPairs; look *= 2) looks.push(look);
  return [...looks, maxPairs];
}

/** Belief that the candidate is worse, and pairs that tell the two apart, from which on it is given up. */
export const REJECT_PROB = 0.9;
export const REJECT_PAIRS = 4;

/** Thresholds between attainable beliefs, by the most pairs; the others are computed when asked for. */
const KNOWN: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  "0.05": { 8: 0.974609, 16: 0.977974, 32: 0.980591, 64: 0.980737, 128: 0.984466 },
  "0.1": { 8: 0.951172, 16: 0.963219, 32: 0.969018, 64: 0.969018, 128: 0.973881 },
};
const computed = new Map<string, number>();

/**
 * The belief from which on a change is adopted at a look, so that a change that is no better is adopted with a
 * chance of at most `alpha` at every rate of pairs that tell the two apart: exact, by enumeration. Above 1 when so
 * few pairs can adopt nothing.
 */
export function adoptThreshold(maxPairs: number, alpha: number): number {
  const known = KNOWN[String(alpha)]?.[maxPairs];
  if (known !== undefined) return known;
  const key = `${maxPairs}/${alpha}`;
  const found = computed.get(key) ?? computeThreshold(maxPairs, alpha).threshold;
  computed.set(key, found);
  return found;
}

export interface Threshold {
  /** Largest belief that does not adopt, smallest that does. */
  readonly below: number | undefined;
  readonly above: number | undefined;
  readonly threshold: number;
  /** The worst chance of a false adoption. */
  readonly attained: number;
}

export function computeThreshold(maxPairs: number, alpha: number): Threshold {
  const values = attainable(maxPairs);
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (worstFalseAdoption(maxPairs, at(values, middle) - 1e-12) <= alpha) high = middle;
    else low = middle + 1;
  }
  const below = values[low - 1];
  const above = values[low];
  if (above === undefined) return { below, above, threshold: 2, attained: 0 };
  const threshold = below === undefined ? above : (below + above) / 2;
  return { below, above, threshold, attained: worstFalseAdoption(maxPairs, threshold) };
}

function attainable(maxPairs: number): readonly number[] {
  const values = new Set<number>();
  for (let wins = 0; wins <= maxPairs; wins += 1) {
    for (let losses = 0; wins + losses <= maxPairs; losses += 1) {
      if (wins > losses) values.add(Math.round(betterProb(wins, losses) * 1e12) / 1e12);
    }
  }
  return [...values].sort((a, b) => a - b);
}

function worstFalseAdoption(maxPairs: number, threshold: number): number {
  let worst = 0;
  for (let k = 1; k <= 50; k += 1) {
    const rate = k / 50;
    worst = Math.max(worst, adoptionProb(maxPairs, threshold, rate / 2, rate / 2, false));
  }
  return worst;
}

/**
 * The chance that a rule adopts within `maxPairs` pairs, when a pair is won with chance `winProb` and lost with
 * `lossProb`: by enumeration of all courses. With `canReject` a hopeless candidate is given up on the way.
 */
export function adoptionProb(
  maxPairs: number,
  threshold: number,
  winProb: number,
  lossProb: number,
  canReject = true,
): number {
  const looks = new Set(looksUpTo(maxPairs));
  const stride = maxPairs + 1;
  let here = new Float64Array(stride * stride);
  here[0] = 1;
  let adopted = 0;
  const tie = Math.max(0, 1 - winProb - lossProb);
  for (let pair = 1; pair <= maxPairs; pair += 1) {
    const next = new Float64Array(stride * stride);
    for (let wins = 0; wins < pair; wins += 1) {
      for (let losses = 0; wins + losses < pair; losses += 1) {
        const mass = here[wins * stride + losses] ?? 0;
        if (mass < 1e-15) continue;
        const state = wins * stride + losses;
        next[state] = (next[state] ?? 0) + mass * tie;
        next[state + stride] = (next[state + stride] ?? 0) + mass * winProb;
        next[state + 1] = (next[state + 1] ?? 0) + mass * lossProb;
      }
    }
    here = next;
    if (!looks.has(pair)) continue;
    for (let wins = 0; wins <= pair; wins += 1) {
      for (let losses = 0; wins + losses <= pair; losses += 1) {
        const state = wins * stride + losses;
        const mass = here[state] ?? 0;
        if (mass === 0) continue;
        if (beliefOf(wins, losses) >= threshold) {
          adopted += mass;
          here[state] = 0;
        } else if (canReject && wins + losses >= REJECT_PAIRS && beliefOf(losses, wins) >= REJECT_PROB) {
          here[state] = 0;
        }
      }
    }
  }
  return adopted;
}

const beliefs = new Map<number, number>();

function beliefOf(wins: number, losses: number): number {
  const key = wins * 4096 + losses;
  const known = beliefs.get(key);
  if (known !== undefined) return known;
  const value = betterProb(wins, losses);
  beliefs.set(key, value);
  return value;
}

/**
 * Evidence against "the candidate gains no more than `floor`": at any time at least 1/alpha has a chance of at most
 * alpha under it. A mixture of ten bets, each on wins less losses.
 */
export function evidence(wins: number, losses: number, pairs: number, floor: number): number {
  let sum = 0;
  for (let k = 1; k <= 10; k += 1) {
    const bet = k / 11 / (1 + floor);
    const ties = pairs - wins - losses;
    const logValue =
      wins * Math.log1p(bet * (1 - floor)) +
      losses * Math.log1p(bet * (-1 - floor)) +
      ties * Math.log1p(-bet * floor);
    sum += Math.exp(logValue);
  }
  return sum / 10;
}

/** The smallest gain in chance over `baseProb` that the rule finds four times in five; undefined when none. */
export function smallestDetectable(maxPairs: number, alpha: number, baseProb: number): number | undefined {
  const threshold = adoptThreshold(maxPairs, alpha);
  const power = (gain: number): number => {
    const candidate = baseProb + gain;
    return adoptionProb(maxPairs, threshold, candidate * (1 - baseProb), baseProb * (1 - candidate));
  };
  const room = 1 - baseProb;
  if (power(room) < 0.8) return undefined;
  let low = 0;
  let high = room;
  for (let i = 0; i < 12; i += 1) {
    const middle = (low + high) / 2;
    if (power(middle) >= 0.8) high = middle;
    else low = middle;
  }
  return high;
}
