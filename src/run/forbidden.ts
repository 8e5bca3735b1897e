import type { Problem } from "../core/result.ts";
import { few } from "../verify/compare-tests.ts";
import { matcher } from "../verify/globs.ts";
import type { AttemptEnded } from "./events.ts";
import type { SessionState } from "./state.ts";

/** What an attempt of a piece changed although it must not. */
export function forbiddenChanges(
  { spec }: SessionState,
  piece: string,
  { changes }: Pick<AttemptEnded, "changes">,
): readonly string[] {
  const plan = spec.pieces.find(({ id }) => id === piece);
  const own = plan?.kind === "agent" ? (plan.forbiddenPaths ?? []) : [];
  const isForbidden = matcher([...spec.forbiddenPaths, ...own]);
  return changes.map(({ path }) => path).filter(isForbidden);
}

export function forbiddenProblem(piece: string, paths: readonly string[]): Problem {
  return {
    code: "forbidden-paths",
    message: `${piece} changed what it must leave alone: ${few(paths)}`,
    hint: "put it back or allow it, then `loopwright loop resume`",
  };
}
