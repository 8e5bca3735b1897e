import { canonicalJson, type Json } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import { ok, type Result } from "../core/result.ts";
import { type Admission, admit, type Loop, type LoopPatch } from "../formats/loop/index.ts";
import { type Regression, regression } from "../record/loop-baseline.ts";
import { suggestionsOf } from "../run/suggestions.ts";
import { standings, type TrialStanding } from "../verify/experiments/loop-trials.ts";
import { skillsAfter } from "./explore-skills.ts";
import { type LoopRun, loopRuns, loopTrials, measured, runsOfText } from "./loop-runs.ts";
import type { CommandContext } from "./types.ts";

/** A change of a loop file, with what speaks for it. Made from what the store holds whenever somebody asks. */
export interface Proposal {
  /** The same for the same change of the same loop. */
  readonly id: string;
  readonly kind:
    | "adopt_skill"
    | "drop_skill"
    | "try_skill"
    | "reshape_graph"
    | "change_criteria"
    | "suggestion";
  readonly subject: string;
  readonly rationale: string;
  /** Absent when it is for a person to say what should change. */
  readonly patch?: LoopPatch;
  /** Of its patch. */
  readonly admission?: Admission;
  /** Pairs of runs with and without it; absent when it was not tried. */
  readonly standing?: TrialStanding;
  /** Runs with it, against the baseline of the file. */
  readonly regression: Regression;
  readonly at: string;
  readonly expiresAt?: string;
}

const DAY_MS = 24 * 60 * 60_000;
const LIFE_DAYS: Readonly<Record<Proposal["kind"], number | undefined>> = {
  adopt_skill: 30,
  drop_skill: 30,
  try_skill: 7,
  reshape_graph: 30,
  change_criteria: undefined,
  suggestion: 30,
};

export interface Proposals {
  readonly proposals: readonly Proposal[];
  /** Of all runs of the file as it is now. */
  readonly baseline: Regression;
}

/** Newest first; those whose time is over are left out. */
export async function loopProposals(
  context: CommandContext,
  loop: Loop,
  text: string,
): Promise<Result<Proposals>> {
  const runs = await loopRuns(context, loop.name);
  if (!runs.ok) return runs;
  const trials = await loopTrials(context, loop.name, runs.value);
  if (!trials.ok) return trials;
  const { evolution, skills } = loop;
  const fewest = Math.max(2, skills.minTrials);
  const against = (some: readonly LoopRun[]) => regression(measured(some), evolution, fewest);
  const untried = { regression: { is: "too-few-runs", runs: 0 } as const };
  const tested = standings(trials.value, skills.minTrials).flatMap((standing) => {
    const own = trials.value.filter(({ change, arm }) => change === standing.change && arm === "with");
    const withIt = runs.value.filter(({ session }) => own.some((trial) => trial.session === session));
    return fromTrial(loop, standing, withIt[0]?.at ?? "", against(withIt));
  });
  const found: readonly Draft[] = [
    ...tested,
    ...[...untriedSkills(loop, runs.value), ...fromRuns(runs.value)].map((one) => ({ ...one, ...untried })),
  ];
  const now = context.now();
  const whole = found.map((draft) => finished(loop, draft));
  const alive = whole.filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > now);
  return ok({ proposals: newestOfEach(alive), baseline: against(runsOfText(runs.value, text)) });
}

type Draft = Omit<Proposal, "id" | "admission" | "expiresAt">;

function fromTrial(loop: Loop, standing: TrialStanding, at: string, held: Regression): readonly Draft[] {
  if (standing.verdict.kind !== "adopt") return [];
  const [verb = "", subject = ""] = standing.change.split(" ");
  const { pairs, wins, losses } = standing;
  return [...skillsAfter(loop, standing.change)].map(([piece, value]) => ({
    kind: verb === "drop" ? "drop_skill" : "adopt_skill",
    subject: `${subject} of ${piece}`,
    rationale: `of ${pairs} pairs of runs, ${wins} reached the goals only with this change and ${losses} only without`,
    patch: { path: `execution.graph.nodes[${piece}].skills`, value: [...value] },
    standing,
    regression: held,
    at,
  }));
}

/** Candidates that nobody tries, once a run has failed. */
function untriedSkills({ skills }: Loop, runs: readonly LoopRun[]): readonly Omit<Draft, "regression">[] {
  const [last] = runs;
  const [subject] = skills.exploreCandidates;
  if (skills.explore || subject === undefined || last?.isAccepted !== false) return [];
  return [
    {
      kind: "try_skill",
      subject,
      rationale: "the last run did not reach its goals, and candidates are named but not tried",
      patch: { path: "execution.skills.explore", value: true },
      at: last.at,
    },
  ];
}

function fromRuns(runs: readonly LoopRun[]): readonly Omit<Draft, "regression">[] {
  return runs.flatMap(({ state, at }) => {
    const spent = state.stopped?.why === "pieces-spent" ? state.stopped.pieces : [];
    const blind = (state.gates.at(-1)?.result.checks ?? []).filter(
      ({ blocking, verdict }) => blocking && verdict === "uncheckable",
    );
    return [
      ...spent.map((piece) => ({
        kind: "reshape_graph" as const,
        subject: piece,
        rationale: `${piece} used all its revisions and left its goals open`,
        at,
      })),
      ...blind.map(({ check }) => ({
        kind: "change_criteria" as const,
        subject: check,
        rationale: `the check ${check} could not be run`,
        at,
      })),
      ...suggestionsOf(state).map(({ path, value, because, piece }) => ({
        kind: "suggestion" as const,
        subject: path,
        rationale: `${piece} suggests it${because === "" ? ", without a reason" : `: ${because}`}`,
        patch: { path, value },
        at,
      })),
    ];
  });
}

function finished(loop: Loop, draft: Draft): Proposal {
  const { kind, subject, patch, at } = draft;
  const days = LIFE_DAYS[kind];
  const change: Json = [loop.name, kind, subject, patch === undefined ? null : { ...patch }];
  return {
    ...draft,
    id: sha256(canonicalJson(change)).slice(0, 8),
    ...(patch !== undefined && { admission: admit(patch, loop.evolution, loop.protected) }),
    ...(days !== undefined && { expiresAt: new Date(Date.parse(at) + days * DAY_MS).toISOString() }),
  };
}

function newestOfEach(proposals: readonly Proposal[]): readonly Proposal[] {
  const byId = new Map<string, Proposal>();
  for (const one of proposals.toSorted((a, b) => (a.at < b.at ? 1 : -1)))
    if (!byId.has(one.id)) byId.set(one.id, one);
  return [...byId.values()];
}
