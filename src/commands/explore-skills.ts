import { ok, type Result } from "../core/result.ts";
import type { Loop } from "../formats/loop/index.ts";
import type { TrialPlan } from "../verify/experiments/loop-trials.ts";
import { loopRuns, loopTrials } from "./loop-runs.ts";
import { attachable } from "./loop-skills.ts";
import type { CommandContext } from "./types.ts";

export interface Explored {
  readonly loop: Loop;
  /** Absent when nothing is tried. */
  readonly trial?: TrialPlan;
  readonly lines: readonly string[];
}

/**
 * A loop that explores runs in pairs, once with a candidate and once without, so that what a skill does is told from what a
 * run would have come to anyway. A candidate that may not be used here is not tried.
 */
export async function exploring(context: CommandContext, loop: Loop): Promise<Result<Explored>> {
  const { explore, exploreCandidates, minTrials } = loop.skills;
  if (!explore || exploreCandidates.length === 0) return ok({ loop, lines: [] });
  const usable = await attachable(context, loop, exploreCandidates);
  const runs = await loopRuns(context, loop.name);
  if (!runs.ok) return runs;
  const trials = await loopTrials(context, loop.name, runs.value);
  if (!trials.ok) return trials;
  const { nextTrial } = await import("../verify/experiments/loop-trials.ts");
  const changes = usable.map((name) => changeOf(loop, name));
  const trial = nextTrial(changes, trials.value, minTrials);
  if (trial === undefined) return ok({ loop, lines: [] });
  const line = `trial: ${trial.change}, pair ${trial.pair}, this run ${trial.arm} it`;
  return ok({ loop: trial.arm === "with" ? changed(loop, trial.change) : loop, trial, lines: [line] });
}

/** A skill that a piece has is tried by leaving it out, another by giving it to the first builder. */
export function changeOf({ pieces }: Pick<Loop, "pieces">, name: string): string {
  return `${pieces.some(({ skills }) => skills.includes(name)) ? "drop" : "use"} ${name}`;
}

/** What a change makes of the skills of pieces, by their ids: those that it changes. */
export function skillsAfter(
  { pieces }: Pick<Loop, "pieces">,
  change: string,
): ReadonlyMap<string, readonly string[]> {
  const [verb = "", name = ""] = change.split(" ");
  if (verb === "drop") {
    const having = pieces.filter(({ skills }) => skills.includes(name));
    return new Map(having.map(({ id, skills }) => [id, skills.filter((one) => one !== name)]));
  }
  const builder = pieces.find(({ role }) => role === "builder");
  return new Map(builder === undefined ? [] : [[builder.id, [...builder.skills, name]]]);
}

function changed(loop: Loop, change: string): Loop {
  const after = skillsAfter(loop, change);
  return {
    ...loop,
    pieces: loop.pieces.map((piece) => ({ ...piece, skills: after.get(piece.id) ?? piece.skills })),
  };
}
