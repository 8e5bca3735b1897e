import { stopWith } from "./dispatch.ts";
import { baselineStep, GUARD_QUESTION } from "./gate-step.ts";
import { entryStep } from "./rules.ts";
import type { SessionRun } from "./session-run.ts";

/** Name of the task beside the loop. */
export const BASE_RUN = "baseline";

/**
 * Whether the base run is over and allows work. One that was green without a guard, or that could not be had, is
 * done again on a resume; while a person is asked what to make of it, nothing is dispatched.
 */
export function isBaseKnown(run: SessionRun): boolean {
  const { baseline } = run;
  if (baseline === undefined || run.hasTask(BASE_RUN)) return false;
  const { spec, answers } = run.state;
  const isGuard = spec.gate.guard || answers[GUARD_QUESTION] === "approve";
  return baseline.state === "red" || (baseline.state === "green" && isGuard);
}

/** Runs the checks before any money, and stops the session where that leaves nothing to prove. */
export async function baseRun(run: SessionRun): Promise<void> {
  const refused = await entryStep(run);
  if (refused !== undefined) return stopWith(run, refused);
  const result = await baselineStep(run);
  if (result === undefined) return;
  if ("code" in result) return stopWith(run, result);
  if (result.state === "uncheckable") {
    return stopWith(
      run,
      result.problem ?? {
        code: "checks-uncheckable",
        message: "the checks cannot be run here",
        hint: "see `loopwright status --why`",
      },
    );
  }
  if (result.state === "green") await answerGreen(run);
}

/** Checks that pass before any work prove nothing about the work. */
async function answerGreen(run: SessionRun): Promise<void> {
  const { spec } = run.state;
  if (spec.gate.guard) return;
  if (spec.ifNeeded) {
    await run.chain.commit(() => ({
      events: [
        { type: "goal:satisfied", data: { tree: spec.gate.base, iteration: 0 } },
        { type: "session:stopped", data: { reason: { why: "already-satisfied" } } },
      ],
    }));
    return;
  }
  const accepted = await run.options.confirm?.(
    "every check already passes. Run anyway, with the checks as a mere guard?",
  );
  if (accepted === true) {
    const data = { id: GUARD_QUESTION, answer: "approve", by: "terminal" } as const;
    return run.chain.commit(() => ({ events: [{ type: "person:answered", data }] }));
  }
  await stopWith(run, {
    code: "checks-already-pass",
    message: "every check passes before any work, so passing them would prove nothing",
    hint: "add a check that fails today, or pass --guard to use the checks as a guard, or --if-needed to stop here with success",
  });
}
