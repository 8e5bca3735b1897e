import type { Choice, Option, OptionKey, OptionMember } from "./question.ts";

const MOST = 5;

/** What is there to choose from, in the words of a recommendation. */
export interface Ways {
  readonly pick: Choice;
  readonly current: Choice | undefined;
  readonly isCurrentUsual: boolean;
  /** The way that is worth trying beside the pick. */
  readonly taught: Choice | undefined;
  /** Along the curve, cheapest first. */
  readonly curve: readonly Choice[];
}

type Member = Omit<OptionMember, "forecast">;

/** The ways to go on, each configuration once apart from the pair, numbered once for every face. */
export function optionsOf(
  { pick, current, isCurrentUsual, taught, curve }: Ways,
  forecast: (choice: Choice) => OptionMember["forecast"],
): readonly Option[] {
  const found: { readonly key: OptionKey; readonly members: readonly Member[] }[] = [];
  const seen = new Set<string>();
  const sourceOf = (choice: Choice): OptionMember["source"] =>
    isCurrentUsual && choice.candidate.id === current?.candidate.id ? "usual" : "alternative";
  const add = (key: OptionKey, choice: Choice | undefined): void => {
    if (choice === undefined || choice.candidate.isRetired || seen.has(choice.candidate.id)) return;
    seen.add(choice.candidate.id);
    found.push({ key, members: [{ choice, source: sourceOf(choice) }] });
  };
  add("goal", pick);
  if (taught !== undefined) {
    const members = [
      { choice: pick, source: sourceOf(pick) },
      { choice: taught, source: "exploration" as const },
    ];
    found.push({ key: "pair", members });
  }
  add("reference", current);
  const offered = curve.filter(({ candidate }) => !candidate.isRetired);
  add("cheapest_run", offered[0]);
  add("most_likely", mostLikely(offered));
  return found.slice(0, MOST).map(({ key, members }, i) => ({
    number: i + 1,
    key,
    members: members.map((member) => ({ ...member, forecast: forecast(member.choice) })),
  }));
}

function mostLikely(choices: readonly Choice[]): Choice | undefined {
  return choices
    .filter(({ isChanceKnown }) => isChanceKnown)
    .reduce<Choice | undefined>(
      (best, one) => (best === undefined || one.success.mean > best.success.mean ? one : best),
      undefined,
    );
}

/**
 * The chance with which a person takes each option: how often each kind of option was taken before, with one
 * more of every kind that is there and of none at all. So each is above zero, and they add up to less than one.
 */
export function propensities(
  options: readonly Option[],
  taken: ReadonlyMap<string, number>,
  recommended: number,
): ReadonlyMap<number, number> {
  const total = Math.max(
    recommended,
    [...taken.values()].reduce((sum, count) => sum + count, 0),
  );
  const weight = total + options.length + 1;
  return new Map(options.map(({ number, key }) => [number, ((taken.get(key) ?? 0) + 1) / weight]));
}

/** What names an option: to people by number, to scripts by key. */
export interface Named {
  readonly option: number;
  readonly key: string;
  readonly members: readonly { readonly config: string; readonly name: string }[];
}

/** The option of a number, a key, or a name that only one of them has; a pasted number may carry its bracket. */
export function optionNamed<T extends Named>(options: readonly T[], words: string): T | undefined {
  const text = words.trim().replace(/[).:]$/, "");
  if (/^\d+$/.test(text)) return options.find(({ option }) => option === Number(text));
  const byKey = options.find(({ key }) => key === text);
  if (byKey !== undefined) return byKey;
  const byName = options.filter(
    ({ members }) =>
      members.length === 1 && members.some(({ config, name }) => [config, name].includes(text)),
  );
  return byName.length === 1 ? byName[0] : undefined;
}
