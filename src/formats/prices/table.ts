/** Dollars per million tokens. A class without a rate cannot be priced when it has tokens. */
export interface Rates {
  readonly input: number;
  readonly write5m?: number;
  readonly write1h?: number;
  readonly read?: number;
  readonly output: number;
}

/** What a model costs from a day on. */
export interface PriceRow {
  /** First day (`YYYY-MM-DD`, UTC); absent for always. */
  readonly from?: string;
  readonly rates: Rates;
  /** Rates of a whole call whose prompt (cached tokens included) is above the bound; largest bound last. */
  readonly longContext: readonly { readonly aboveTokens: number; readonly rates: Rates }[];
  /** Factors on every token price by service tier. A tier that is missing cannot be priced. */
  readonly tiers: Readonly<Record<string, number>>;
  readonly source: string;
  /** Good enough to show, not to record as a price. */
  readonly isGuess: boolean;
  /** Rates of zero are meant: for cache writes, or for a model that is free altogether. */
  readonly hasFreeParts?: boolean;
}

export interface PriceTable {
  readonly date: string;
  readonly source: string;
  readonly webSearchUsd: number;
  /** Rows by day, oldest first. */
  readonly models: Readonly<Record<string, readonly PriceRow[]>>;
}
