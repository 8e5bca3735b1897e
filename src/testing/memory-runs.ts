import { runMoved } from "../adapters/store-sqlite/runs.ts";
import { ok, type Result } from "../core/result.ts";
import type { RunFilter, RunKeys, RunList, RunRow, RunTotals, Store } from "../ports/store.ts";

interface Kept {
  readonly row: RunRow;
  readonly document: string;
  readonly keys: RunKeys;
  readonly revision: number;
}

/** The run documents of a store in memory. */
export class MemoryRuns
  implements
    Pick<Store, "putRun" | "runs" | "runTotals" | "runsOfCommit" | "run" | "runDocument" | "runDocuments">
{
  readonly #kept = new Map<string, Kept>();

  async putRun(...[row, document, more = {}]: Parameters<Store["putRun"]>): Promise<Result<void>> {
    const revision = this.#kept.get(row.run)?.revision ?? 0;
    if (more.expected !== undefined && more.expected !== revision)
      return runMoved(row.run, more.expected, revision);
    const keys = more.keys ?? { commits: [], labels: [] };
    this.#kept.set(row.run, { row, document, keys, revision: revision + 1 });
    return ok(undefined);
  }

  async runs({ order = "started", limit, after, ...filter }: RunList) {
    const found = this.#matching(filter)
      .sort((a, b) => byOrder(a, b, order) || descending(a.run, b.run))
      .filter((row) => after === undefined || isAfter(row, after));
    return ok(found.slice(0, limit));
  }

  async runTotals(filter: RunFilter) {
    const none: RunTotals = { runs: 0, costMicroUsd: 0, unknownCosts: 0, runsNotCosted: 0 };
    return ok(
      this.#matching(filter).reduce<RunTotals>(
        (sum, row) => ({
          runs: sum.runs + 1,
          costMicroUsd: sum.costMicroUsd + row.costMicroUsd,
          unknownCosts: sum.unknownCosts + row.unknownCosts,
          runsNotCosted: sum.runsNotCosted + (row.unknownCosts > 0 ? 1 : 0),
        }),
        none,
      ),
    );
  }

  async runsOfCommit(commit: string) {
    const wanted = commit.toLowerCase();
    const isIt = (known: string): boolean =>
      known === wanted ||
      (Math.min(known.length, wanted.length) >= 7 && (known.startsWith(wanted) || wanted.startsWith(known)));
    const found = [...this.#kept.values()].filter(({ keys }) => keys.commits.some(isIt));
    return ok(
      found.map(({ row }) => row).sort((a, b) => byOrder(a, b, "started") || descending(a.run, b.run)),
    );
  }

  async run(run: string) {
    const kept = this.#kept.get(run);
    return ok(kept && { row: kept.row, document: kept.document, revision: kept.revision });
  }

  async runDocument(run: string) {
    return ok(this.#kept.get(run)?.document);
  }

  async runDocuments(runs: readonly string[]) {
    return ok(runs.map((run) => this.#kept.get(run)?.document));
  }

  #matching({ since, until, label, ...columns }: RunFilter): RunRow[] {
    return [...this.#kept.values()]
      .filter(({ keys }) => label === undefined || keys.labels.includes(label))
      .map(({ row }) => row)
      .filter(
        (row) =>
          (since === undefined || row.startedAt >= since) && (until === undefined || row.startedAt < until),
      )
      .filter((row) => {
        const values: Readonly<Record<string, unknown>> = { ...row };
        return Object.entries(columns).every(
          ([name, value]) => value === undefined || values[name] === value,
        );
      });
  }
}

function byOrder(a: RunRow, b: RunRow, order: NonNullable<RunList["order"]>): number {
  switch (order) {
    case "started":
      return descending(a.startedAt, b.startedAt);
    case "ended":
      return descending(a.endedAt ?? "", b.endedAt ?? "");
    case "cost":
      return b.costMicroUsd - a.costMicroUsd;
    case "attempts":
      return b.attempts - a.attempts;
  }
}

function isAfter(row: RunRow, place: Pick<RunRow, "startedAt" | "run">): boolean {
  return row.startedAt === place.startedAt ? row.run < place.run : row.startedAt < place.startedAt;
}

function descending(a: string, b: string): number {
  return a === b ? 0 : a < b ? 1 : -1;
}
