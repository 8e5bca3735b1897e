interface Figures {
  readonly slope_of: Readonly<Record<string, string>>;
  readonly weights: {
    readonly by_benchmark: Readonly<Record<string, Readonly<Record<string, number>>>>;
    readonly caution_factor: number;
    readonly cap_terminal_bench_4: number;
    readonly cap_per_model: number;
  };
  readonly sources: readonly {
    readonly id: string;
    readonly weight_success?: number | null;
    readonly weight_cost_tokens?: number | null;
  }[];
}

interface Row {
  readonly source_id: string;
  readonly benchmark: string;
  readonly model: string;
  readonly pass_rate: number;
  readonly use: string;
}

export function scaleWeights(
  figures: Figures,
  rows: readonly Row[],
): ReadonlyMap<string, { readonly w: number; readonly mean: number }>;
export function refuseNegative(figures: Pick<Figures, "weights" | "sources">): void;
