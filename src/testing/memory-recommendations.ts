import { ok, type Result } from "../core/result.ts";
import type { RecommendationRow, Store } from "../ports/store.ts";
import { MemoryRuns } from "./memory-runs.ts";

interface Kept {
  readonly row: RecommendationRow;
  readonly document: string;
  readonly configurations: readonly string[];
}

type Part = Pick<Store, "putRecommendation" | "recommendations" | "recommendation" | "recommendationOf">;

/** The recommendations of a store in memory, beside its runs. */
export class MemoryRecommendations extends MemoryRuns implements Part {
  readonly #kept = new Map<string, Kept>();

  async putRecommendation(...[row, document, configurations]: Parameters<Store["putRecommendation"]>) {
    if (!this.#kept.has(row.recommendation))
      this.#kept.set(row.recommendation, { row, document, configurations });
    return ok(undefined);
  }

  async recommendations(limit?: number): Promise<Result<readonly RecommendationRow[]>> {
    return ok(
      this.#newestFirst()
        .map(({ row }) => row)
        .slice(0, limit),
    );
  }

  async recommendation(id: string) {
    return ok(this.#kept.get(id)?.document);
  }

  async recommendationOf(configuration: string) {
    return ok(
      this.#newestFirst().find(({ configurations }) => configurations.includes(configuration))?.document,
    );
  }

  #newestFirst(): readonly Kept[] {
    const place = ({ row }: Kept): string => `${row.at} ${row.recommendation}`;
    return [...this.#kept.values()].sort((a, b) => (place(a) < place(b) ? 1 : -1));
  }
}
