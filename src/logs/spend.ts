import { addUsage, type TokenUsage, totalTokens } from "../core/tokens.ts";
import { microFromFemto } from "./prices/exact.ts";
import type { CallPrices } from "./prices/index.ts";
import { knownOf, PRICE_BOUNDS, type SessionSummary, SLOT_MS, type UsageRow } from "./summary.ts";

/** What some part of the logs comes to. `microUsd` holds the priced part only; the rest is named in `unpriced`. */
export interface Spend {
  readonly usage: TokenUsage;
  readonly calls: number;
  readonly webSearches: number;
  readonly microUsd: number;
  /** Part of `microUsd` that rests on guessed prices. */
  readonly guessedMicroUsd: number;
  /** Tokens without a price, by model and why. */
  readonly unpriced: readonly UnpricedPart[];
  /** Calls whose output count is a lower bound. */
  readonly lowerBounds: number;
  /** Part of `microUsd` that no call record shows. */
  readonly unloggedMicroUsd: number;
}

export interface UnpricedPart {
  readonly model: string;
  readonly why: "no-price" | "no-usage";
  readonly calls: number;
  readonly tokens: number;
}

/** Whatever holds rows: a session, or an agent's totals. */
interface Spender {
  readonly rows: readonly UsageRow[];
}

/** Which rows are added up under which name; a row without a name is left out. */
export type SpendKey<S extends Spender = SessionSummary> = (spender: S, row: UsageRow) => string | undefined;

type OpenPart = { -readonly [K in keyof UsageRow]: UsageRow[K] };

/**
 * Spend by name. Exact: like rows are summed first, each sum is priced at its own day, tier and prompt size, and every
 * name's cost is rounded once.
 */
export function spendBy<S extends Spender>(
  spenders: readonly S[],
  prices: CallPrices,
  keyOf: SpendKey<S>,
): Map<string, Spend> {
  const sums = new Map<string, AlikeRows>();
  for (const spender of spenders) {
    for (const row of spender.rows) {
      const key = keyOf(spender, row);
      if (key === undefined) continue;
      const alike = sums.get(key) ?? new AlikeRows();
      sums.set(key, alike);
      alike.add(row);
    }
  }
  return new Map([...sums].map(([key, alike]) => [key, spendOf(alike.all(), prices)]));
}

export function totalSpend<S extends Spender>(
  spenders: readonly S[],
  prices: CallPrices,
  isWanted: (spender: S, row: UsageRow) => boolean = () => true,
): Spend {
  const byName = spendBy(spenders, prices, (spender, row) => (isWanted(spender, row) ? "all" : undefined));
  return byName.get("all") ?? spendOf([], prices);
}

/** Rows that cost the same per token added up, whoever spent them: the spend of all and of each model stays the same. */
export class AlikeRows {
  readonly #parts = new Map<string, OpenPart>();
  /** Rows of one session come behind each other: most belong to the part of the one before. */
  #last: OpenPart | undefined;

  add(row: UsageRow): void {
    if (this.#last !== undefined && areAlike(this.#last, row)) {
      addTo(this.#last, row);
      return;
    }
    const key = keyOf(row);
    const before = this.#parts.get(key);
    this.#last = before ?? { ...row };
    if (before === undefined) this.#parts.set(key, this.#last);
    else addTo(before, row);
  }

  /** The same for the same rows in any order. */
  all(): UsageRow[] {
    const sorted = [...this.#parts].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([, { subagent: _, cwd: __, branch: ___, ...part }]) => part);
  }
}

/** The day whose prices count: the call's own, in UTC. */
const SLOTS_PER_DAY = 86_400_000 / SLOT_MS;

function areAlike(a: UsageRow, b: UsageRow): boolean {
  return (
    a.model === b.model &&
    a.tier === b.tier &&
    a.size === b.size &&
    a.isUnlogged === b.isUnlogged &&
    dayOf(a) === dayOf(b) &&
    knownOf(a.usage) === knownOf(b.usage)
  );
}

function keyOf(row: UsageRow): string {
  return `${row.model}\n${row.tier}\n${dayOf(row)}\n${row.size}\n${row.isUnlogged}${knownOf(row.usage)}`;
}

function dayOf({ slot }: UsageRow): number {
  return Math.floor(slot / SLOTS_PER_DAY);
}

function addTo(part: OpenPart, row: UsageRow): void {
  part.slot = Math.min(part.slot, row.slot);
  part.usage = addUsage(part.usage, row.usage);
  part.webSearches += row.webSearches;
  part.lowerBounds += row.lowerBounds;
}

function spendOf(parts: readonly UsageRow[], prices: CallPrices): Spend {
  let usage: TokenUsage = {};
  let [calls, webSearches, lowerBounds] = [0, 0, 0];
  let [femto, guessed, unlogged] = [0n, 0n, 0n];
  const unpriced = new Map<string, UnpricedPart>();
  for (const part of parts) {
    usage = addUsage(usage, part.usage);
    calls += part.usage.requests ?? 0;
    webSearches += part.webSearches;
    lowerBounds += part.lowerBounds;
    const cost = prices.exact({
      model: part.model,
      usage: part.usage,
      atMs: part.slot * SLOT_MS,
      ...(part.tier === undefined ? {} : { tier: part.tier }),
      webSearches: part.webSearches,
      promptTokens: part.size === 0 ? 0 : (PRICE_BOUNDS[part.size - 1] ?? 0) + 1,
    });
    if ("why" in cost) addUnpriced(unpriced, cost, part.usage);
    else {
      femto += cost.femtoUsd;
      if (cost.isGuess) guessed += cost.femtoUsd;
      if (part.isUnlogged) unlogged += cost.femtoUsd;
    }
  }
  return {
    usage,
    calls,
    webSearches,
    microUsd: microFromFemto(femto),
    guessedMicroUsd: microFromFemto(guessed),
    unpriced: [...unpriced.values()].sort((a, b) => b.tokens - a.tokens || (a.model < b.model ? -1 : 1)),
    lowerBounds,
    unloggedMicroUsd: microFromFemto(unlogged),
  };
}

function addUnpriced(
  unpriced: Map<string, UnpricedPart>,
  { model, why }: Pick<UnpricedPart, "model" | "why">,
  usage: TokenUsage,
): void {
  const key = `${why} ${model}`;
  const before = unpriced.get(key) ?? { model, why, calls: 0, tokens: 0 };
  const tokens = before.tokens + (totalTokens(usage) ?? 0);
  unpriced.set(key, { ...before, calls: before.calls + (usage.requests ?? 0), tokens });
}
