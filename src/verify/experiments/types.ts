/** One task done both ways from the same start, judged by one rule. Absent: not known. */
export interface Pair {
  readonly baseAccepted?: boolean;
  readonly candidateAccepted?: boolean;
  readonly baseUsd?: number;
  readonly candidateUsd?: number;
}

/** How a change is decided. Equal settings and pairs give equal decisions, however often one looks. */
export interface DecisionRule {
  /** Largest chance to adopt a change that is no better. */
  readonly alpha: number;
  /** Pairs at most; then the base is kept. */
  readonly maxPairs: number;
  /** No decision before this many pairs. */
  readonly minPairs: number;
  /** The gain that a change must have: in chance, or as a share of the cost per accepted result. */
  readonly floor: number;
  readonly objective: "acceptance" | "cost-per-accepted";
  /** Decide after every pair instead of at the looks, by a boundary that holds for that. Outcomes alone decide. */
  readonly isAnytime?: boolean;
  /** A candidate whose mean cost over the base's is above this is given up, from the fewest pairs on. */
  readonly maxCostRatio?: number;
}

export const DEFAULT_RULE: DecisionRule = {
  alpha: 0.05,
  maxPairs: 64,
  minPairs: 4,
  floor: 0,
  objective: "acceptance",
};

/** The pairs that a look at the first `pairs` of them sees. */
export interface Tally {
  readonly pairs: number;
  /** Only the candidate was accepted, only the base. */
  readonly wins: number;
  readonly losses: number;
}

export type Verdict =
  | { readonly kind: "adopt" | "reject"; readonly look: Look }
  | { readonly kind: "unresolved"; readonly look: Look }
  | { readonly kind: "undecided"; readonly nextLook: number };

export interface Look extends Tally {
  /** Belief that the candidate is better, by the measure that decides. */
  readonly betterProb: number;
  readonly worseProb: number;
  readonly measure: "acceptance" | "evidence" | "cost-per-accepted" | "cost-ratio";
}
