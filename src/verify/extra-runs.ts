import { ok, type Result } from "../core/result.ts";
import { type Gate, judgeTree, type Ran } from "./judge-tree.ts";
import type { CheckJob } from "./run-check.ts";
import type { CheckVerdict } from "./types.ts";

interface Extra {
  readonly advisory: readonly CheckVerdict[];
  readonly wouldPass: readonly string[];
  readonly keptEdits: readonly string[];
}

/** What is run for information only: added tests, and failing checks without the restored paths. */
export async function extraRuns(gate: Gate, verdicts: readonly CheckVerdict[]): Promise<Result<Extra>> {
  const { judged, request } = gate;
  if (judged.kind === "unusable") return ok({ advisory: [], wouldPass: [], keptEdits: [] });
  const jobsWith = (...wanted: readonly CheckVerdict["verdict"][]) =>
    gate.jobs.filter(({ check }) => {
      const verdict = verdicts.find((entry) => entry.check === check.name)?.verdict;
      return check.blocking && verdict !== undefined && wanted.includes(verdict);
    });
  const withTests = judged.withAddedTests;
  const added =
    withTests === undefined ? NOTHING : await judgeTree(gate, withTests, jobsWith("pass", "fail"), 0);
  if (!added.ok) return added;
  const probed =
    judged.touched.length === 0
      ? NOTHING
      : await judgeTree(gate, request.found, jobsWith("fail").map(plain), 0);
  if (!probed.ok) return probed;
  const paths = judged.touched.join(", ");
  return ok({
    advisory: added.value.verdicts.map((verdict) => ({
      ...verdict,
      check: `${verdict.check} (with added tests)`,
      blocking: false,
    })),
    wouldPass: probed.value.verdicts.flatMap((verdict) =>
      verdict.verdict === "pass" ? [`${verdict.check}: ${paths}`] : [],
    ),
    keptEdits: [...added.value.keptEdits, ...probed.value.keptEdits],
  });
}

const NOTHING: Result<Ran> = ok({ verdicts: [], keptEdits: [] });

/** Whether a check would have said yes to the found tree is a matter of its exit code: its report may be forged. */
function plain(job: CheckJob): CheckJob {
  return { ...job, exitCodeOnly: true };
}
