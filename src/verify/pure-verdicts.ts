import type { GateLevel } from "../ports/check-rooms.ts";
import type { Clock } from "../ports/clock.ts";
import { assessDetector, isProcessDetector } from "./detectors/index.ts";
import type { TreeView } from "./detectors/types.ts";
import type { Check, CheckVerdict, Evidence } from "./types.ts";

/**
 * The verdicts of checks that run nothing. They look at the tree as the work left it: nothing is executed, so there is
 * nothing that a restored path would protect. `verdicts` are those of the checks that did run.
 */
export async function pureVerdicts(
  clock: Clock,
  checks: readonly Check[],
  view: TreeView,
  level: GateLevel,
  verdicts: readonly CheckVerdict[],
): Promise<readonly CheckVerdict[]> {
  const found: CheckVerdict[] = [];
  for (const check of checks) {
    if (isProcessDetector(check.detector)) continue;
    const start = clock.monotonic();
    const assessed = await assessDetector(check.detector, view, verdicts);
    const { name, blocking } = check;
    if (assessed.verdict === "uncheckable") {
      found.push({ verdict: "uncheckable", check: name, blocking, problem: assessed.problem });
      continue;
    }
    const evidence: Evidence = {
      check: name,
      tree: view.tree,
      judged: view.tree,
      level,
      durationMs: Math.round(clock.monotonic() - start),
      tail: assessed.detail,
      report: "none",
      notes: [],
    };
    found.push(
      assessed.verdict === "pass"
        ? { verdict: "pass", check: name, blocking, evidence }
        : { verdict: "fail", check: name, blocking, why: assessed.detail, evidence },
    );
  }
  return found;
}
