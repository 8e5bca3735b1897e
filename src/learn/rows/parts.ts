import { byCodePoint } from "../../core/canonical-json.ts";
import type { RunFacts } from "./facts.ts";
import type { Term } from "./terms.ts";

export interface PartPlan {
  /** The effect that a part belongs to, by `harness|part`; parts that always come together share one. */
  readonly nodeOf: ReadonlyMap<string, string>;
  readonly notEstimated: readonly {
    readonly part: string;
    readonly why: "on every run" | "on fewer than 2 runs";
  }[];
}

/** Which parts can be told from their harness: on at least 2 of its runs and missing from at least 2. */
export function planParts(runs: readonly RunFacts[]): PartPlan {
  const runsOf = new Map<string, RunFacts[]>();
  for (const run of runs) {
    for (const harness of harnessesOf(run)) {
      const users = runsOf.get(harness);
      if (users === undefined) runsOf.set(harness, [run]);
      else users.push(run);
    }
  }
  const notEstimated: { part: string; why: "on every run" | "on fewer than 2 runs" }[] = [];
  const nodeOf = new Map<string, string>();
  for (const [harness, users] of [...runsOf].sort(([a], [b]) => byCodePoint(a, b))) {
    const byPresence = new Map<string, string[]>();
    for (const part of partsOf(users, harness)) {
      const shares = users.map((run) => shareOf(run, harness, part));
      const present = shares.filter((share) => share > 0).length;
      if (present < 2) notEstimated.push({ part: `${harness}|${part}`, why: "on fewer than 2 runs" });
      else if (users.length - present < 2)
        notEstimated.push({ part: `${harness}|${part}`, why: "on every run" });
      else {
        const key = shares.join(",");
        byPresence.set(key, [...(byPresence.get(key) ?? []), part]);
      }
    }
    for (const parts of byPresence.values()) {
      const node = `part:${harness}|${parts.join("+")}`;
      for (const part of parts) nodeOf.set(`${harness}|${part}`, node);
    }
  }
  return { nodeOf, notEstimated };
}

function harnessesOf(run: RunFacts): readonly string[] {
  return [...new Set(run.attempts.flatMap(({ setting }) => setting.harness ?? []))];
}

function partsOf(runs: readonly RunFacts[], harness: string): readonly string[] {
  const names = runs.flatMap(({ parts }) =>
    parts.filter((part) => part.harness === harness).map(({ part }) => part),
  );
  return [...new Set(names)].sort(byCodePoint);
}

function shareOf(run: RunFacts, harness: string, part: string): number {
  return run.parts.find((one) => one.harness === harness && one.part === part)?.share ?? 0;
}

export function partTerms(run: RunFacts, plan: PartPlan): readonly Term[] {
  const terms = new Map<string, number>();
  for (const { harness, part, share } of run.parts) {
    const node = plan.nodeOf.get(`${harness}|${part}`);
    if (node !== undefined && share > 0) terms.set(node, share);
  }
  return [...terms];
}
