import type { SessionId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { evaluateGate } from "../verify/gate.ts";
import type { GateResult } from "../verify/types.ts";
import { clearChecks } from "./clear-checks.ts";
import { approvals } from "./gate-step.ts";
import type { RunPorts } from "./ports.ts";
import { takeSession } from "./take.ts";
import { verifyPorts } from "./verify-ports.ts";

/** Evaluates a session's frozen checks on what is in the folder now. A satisfied goal that fails is taken back. */
export async function judgeAgain(
  ports: RunPorts,
  session: SessionId,
): Promise<Result<{ readonly result: GateResult; readonly revoked: boolean }>> {
  const taken = await takeSession(ports, { waitWhenParked: false }, session);
  if (!taken.ok) return taken;
  const run = taken.value;
  try {
    const { spec, satisfied } = run.state;
    if (run.baseline === undefined) {
      return fail(
        "checks-uncheckable",
        "this session never had a baseline, so its checks cannot be compared",
      );
    }
    const cleared = await clearChecks(ports, session, run.workspace);
    if (!cleared.ok) return cleared;
    const found = await run.workspace.snapshot();
    if (!found.ok) return found;
    const result = await evaluateGate(verifyPorts(run), spec.gate, {
      workspace: run.workspace,
      workDir: run.workspace.root,
      found: found.value,
      baseline: run.baseline,
      scratch: ports.files.scratchDir(session),
      ...approvals(run.state, found.value),
    });
    if (!result.ok) return result;
    const revoked = satisfied && !result.value.satisfied;
    if (revoked) {
      const failing = result.value.checks.filter((check) => check.blocking && check.verdict !== "pass");
      const why = failing.map((check) => check.check).join(", ");
      await run.chain.commit(() => ({
        events: [{ type: "goal:revoked", data: { tree: found.value, why } }],
      }));
    }
    return ok({ result: result.value, revoked });
  } finally {
    await ports.files.removeScratch(session);
    await ports.store.unlockCheckout(run.workspace.root, session);
    await ports.store.releaseLease(session, run.chain.lease.fence);
  }
}
