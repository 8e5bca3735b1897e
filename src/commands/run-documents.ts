import { ok, type Result } from "../core/result.ts";
import type { RunRow, Store } from "../ports/store.ts";

/** Few enough to hold their texts at once. */
const PAGE = 200;

export interface RunText {
  readonly row: RunRow;
  /** Undefined when it is gone meanwhile. */
  readonly text: string | undefined;
}

/** The documents of runs, in their order. Ends at the first problem. */
export async function* runTexts(store: Store, rows: readonly RunRow[]): AsyncIterable<Result<RunText>> {
  for (let first = 0; first < rows.length; first += PAGE) {
    const page = rows.slice(first, first + PAGE);
    const texts = await store.runDocuments(page.map(({ run }) => run));
    if (!texts.ok) {
      yield texts;
      return;
    }
    for (const [i, row] of page.entries()) yield ok({ row, text: texts.value[i] });
  }
}
