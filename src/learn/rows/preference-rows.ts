import type { PreferenceFacts, RunFacts } from "./facts.ts";
import type { BinaryRow } from "./head-rows.ts";
import type { Term } from "./terms.ts";

/**
 * A preference between two runs as an answer about the difference of their rows: what they share, a task above all,
 * cancels. It counts whole where neither run has a verdict, half where one has, and not at all where both have: their
 * verdicts say it already. A tie is half an answer each way.
 *
 * @param termsOf the success row of a run
 */
export function* preferenceRows(
  runs: readonly RunFacts[],
  termsOf: (run: RunFacts) => readonly Term[],
): Iterable<BinaryRow> {
  if (!runs.some(({ preferences }) => preferences !== undefined)) return;
  const byId = new Map(runs.map((run) => [run.id, run] as const));
  const all = new Map(
    runs.flatMap(({ preferences }) => (preferences ?? []).map((one) => [one.id, one] as const)),
  );
  for (const preference of all.values()) {
    for (const [first, second] of pairsOf(preference)) {
      const [one, other] = [byId.get(first), byId.get(second)];
      if (one === undefined || other === undefined) continue;
      const weight = 1 - (Number(one.verdict !== undefined) + Number(other.verdict !== undefined)) / 2;
      if (weight === 0) continue;
      const { reliability, winner } = preference;
      const terms = difference(termsOf(one), termsOf(other));
      if (terms.length === 0) continue;
      if (winner !== undefined) yield { terms, isYes: true, reliability, weight };
      else {
        yield { terms, isYes: true, reliability, weight: weight / 2 };
        yield { terms, isYes: false, reliability, weight: weight / 2 };
      }
    }
  }
}

/** The winner with each other member; of a tie all of them. */
function pairsOf({ members, winner }: PreferenceFacts): readonly (readonly [string, string])[] {
  if (winner !== undefined)
    return members.filter((member) => member !== winner).map((member) => [winner, member] as const);
  const sorted = [...members].sort();
  return sorted.flatMap((one, i) => sorted.slice(i + 1).map((other) => [one, other] as const));
}

/** Effects with nothing left of them are left out. */
function difference(one: readonly Term[], other: readonly Term[]): readonly Term[] {
  const sums = new Map<string, number>();
  for (const [id, value] of one) sums.set(id, (sums.get(id) ?? 0) + value);
  for (const [id, value] of other) sums.set(id, (sums.get(id) ?? 0) - value);
  return [...sums].filter(([, value]) => Math.abs(value) > 1e-12);
}
