import { isYes } from "./ruling.ts";
import type { SessionState } from "./state.ts";

/** A round is over when a gate or reviewer has said no; the first dispatch after that begins the next one. */
export function nextIteration({
  iteration,
  gates,
  verdicts,
}: Pick<SessionState, "iteration" | "gates" | "verdicts">): number {
  const refused =
    gates.some((gate) => gate.iteration === iteration && !gate.result.satisfied) ||
    verdicts.some((verdict) => verdict.iteration === iteration && !isYes(verdict.ruling));
  return iteration === 0 || refused ? iteration + 1 : iteration;
}
