import { isKnownToPassInPlace, plainWhy } from "../verify/in-place-too.ts";
import type { CheckVerdict, GateResult } from "../verify/types.ts";
import type { GateRecord } from "./state.ts";

export interface StuckChecks {
  /** Fail for the second time in a row with the same words on other files: worth a look at the working folder. */
  readonly suspect: readonly string[];
  /** Still say what they said when they were found to pass in the working folder. */
  readonly known: readonly string[];
}

/** The checks that a change of files moves nothing for, by what one gate said before. Pure. */
export function stuckChecks(gates: readonly GateRecord[], piece: string, result: GateResult): StuckChecks {
  const [last, earlier] = gates.filter((gate) => gate.piece === piece).toReversed();
  if (last === undefined || result.level === "in-place" || last.result.tree === result.tree) return NONE;
  const failing = result.checks.filter((verdict) => {
    const why = verdict.blocking ? plainWhy(verdict) : undefined;
    return why !== undefined && why === plainWhy(saidOf(verdict.check, last));
  });
  const names = failing.map(({ check }) => check);
  return {
    known: names.filter((check) => isKnownToPassInPlace(saidOf(check, last))),
    // Later on it was looked at already.
    suspect: failing
      .filter((verdict) => plainWhy(saidOf(verdict.check, earlier)) !== plainWhy(verdict))
      .map(({ check }) => check),
  };
}

const NONE: StuckChecks = { suspect: [], known: [] };

function saidOf(check: string, gate: GateRecord | undefined): CheckVerdict | undefined {
  return gate?.result.checks.find((verdict) => verdict.check === check);
}
