import { byCodePoint } from "../core/canonical-json.ts";
import { storedJson } from "../core/chain.ts";
import { ok, type Result } from "../core/result.ts";
import type { LoopRecord, LoopRecordKey, Store } from "../ports/store.ts";
import { MemoryRecommendations } from "./memory-recommendations.ts";

type Part = Pick<Store, "changeLoopRecords" | "loopRecords">;

/** What a store in memory keeps between the runs of loops. */
export class MemoryLoopRecords extends MemoryRecommendations implements Part {
  readonly #records = new Map<string, LoopRecord>();

  async changeLoopRecords({ put = [], drop = [] }: Parameters<Store["changeLoopRecords"]>[0]) {
    for (const one of drop) this.#records.delete(placeOf(one));
    for (const one of put)
      this.#records.set(placeOf(one), {
        ...one,
        document: storedJson(one.document) as LoopRecord["document"],
      });
    return ok(undefined);
  }

  async loopRecords({
    topLevel,
    loop,
    kind,
  }: Parameters<Store["loopRecords"]>[0]): Promise<Result<readonly LoopRecord[]>> {
    const own = [...this.#records.values()].filter(
      (one) => one.topLevel === topLevel && one.loop === loop && (kind === undefined || one.kind === kind),
    );
    return ok(own.sort((a, b) => byCodePoint(b.at, a.at) || byCodePoint(placeOf(a), placeOf(b))));
  }
}

function placeOf({ topLevel, loop, kind, key, part }: LoopRecordKey): string {
  return JSON.stringify([topLevel, loop, kind, key, part]);
}
