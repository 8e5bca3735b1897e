import type { JsonObject } from "../core/canonical-json.ts";
import type { RunRow } from "../ports/store.ts";
import { type ArmRun, DEFAULT_RULE, decideChange, pairRuns, tally } from "../verify/experiments/index.ts";
import { slateName } from "./experiment-standing.ts";

const PLANNED = /^([0-9a-f]{8})-\d+$/;

/** The planned test that ran last, while the usual rule has not decided it. */
export function experimentUnderWay(rows: readonly RunRow[]): JsonObject | undefined {
  const planned = rows
    .flatMap((row) => {
      const name = PLANNED.exec(row.slate ?? "")?.[1];
      return name === undefined ? [] : [{ row, name }];
    })
    .sort((a, b) => (a.row.startedAt < b.row.startedAt ? 1 : -1));
  const latest = planned[0]?.name;
  const own = planned.filter(({ name }) => name === latest).map(({ row }) => row);
  const arms = [...new Set(own.flatMap(({ configuration }) => configuration ?? []))];
  const [base, candidate] = orderOf(arms, latest) ?? [];
  if (base === undefined || candidate === undefined) return undefined;
  const { pairs } = pairRuns(own.flatMap(armRun), base, candidate);
  const verdict = decideChange(pairs, DEFAULT_RULE);
  if (verdict.kind !== "undecided") return undefined;
  return { base, candidate, ...tally(pairs), next_look: verdict.nextLook };
}

/** The name of a test says which of the two is the base. */
function orderOf(arms: readonly string[], name: string | undefined): readonly [string, string] | undefined {
  const [one, other] = arms;
  if (one === undefined || other === undefined || arms.length > 2) return undefined;
  return slateName(one, other) === name ? [one, other] : [other, one];
}

function armRun({ run, configuration, startedAt, slate, outcome }: RunRow): readonly ArmRun[] {
  if (configuration === undefined || slate === undefined) return [];
  const isAccepted = outcome === "unknown" ? undefined : outcome === "accepted";
  return [{ run, configuration, startedAt, slate, ...(isAccepted !== undefined && { isAccepted }) }];
}
