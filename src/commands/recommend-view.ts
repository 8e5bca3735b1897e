import type { JsonObject } from "../core/canonical-json.ts";
import { CATALOGUE_IDS, namedWorkflow } from "../formats/workflow/index.ts";
import type { WorkflowFacts } from "../learn/index.ts";
import type {
  Choice,
  ExplorationPick,
  Option,
  OptionKey,
  PickReason,
  Recommendation,
} from "../plan/question.ts";
import type { Summary } from "../plan/summary.ts";

function rangeView({ mean, lo, hi, lo95, hi95 }: Summary, isKnown = true): JsonObject {
  const shown = (value: number) => (isKnown && Number.isFinite(value) ? round(value) : null);
  return {
    mean: shown(mean),
    lo: shown(lo),
    hi: shown(hi),
    lo95: shown(lo95),
    hi95: shown(hi95),
    level: 0.8,
    range_kind: "belief",
  };
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function choiceView(choice: Choice, title: string): JsonObject {
  const { candidate } = choice;
  return {
    config: candidate.id,
    name: choice.name,
    shape: candidate.facts.shape,
    origin: candidate.origin,
    command: commandOf(choice, title),
    chance_known: choice.isChanceKnown,
    success: rangeView(choice.success, choice.isChanceKnown),
    run_cost_usd: {
      ...rangeView(choice.runUsd),
      mean: round(choice.costUsd.mean),
      median: round(choice.runMedianUsd),
    },
    expected_cost_usd: rangeView(choice.costUsd),
    tokens: rangeView(choice.tokens),
    rounds: round(choice.rounds),
    loss_usd: round(choice.lossUsd),
    support: { ...choice.support },
  };
}

/** How `go` is told to work a way: a shape of the catalogue with its settings, another by its id. */
export function workflowFlagsOf({ candidate }: Choice): {
  readonly workflow: string;
  readonly set: readonly string[];
} {
  const { facts, id } = candidate;
  if (!isAsInCatalogue(facts)) return { workflow: id, set: [] };
  const set = facts.pieces
    .filter(({ isMechanical, setting }) => !isMechanical && setting.model !== undefined)
    .map(
      ({ id: piece, setting }) =>
        `${piece}=${setting.harness}:${setting.model}:${setting.effort ?? "default"}`,
    );
  return { workflow: facts.shape, set };
}

/** A name of the catalogue says its copies and rounds too. */
function isAsInCatalogue({ shape, pieces, rounds }: WorkflowFacts): boolean {
  const known = CATALOGUE_IDS.includes(shape) ? namedWorkflow(shape)?.workflow : undefined;
  if (known?.control.rounds !== rounds) return false;
  return pieces.every(({ id, width }) => known.pieces.find((piece) => piece.id === id)?.width === width);
}

function commandOf(choice: Choice, title: string): string {
  const { workflow, set } = workflowFlagsOf(choice);
  const words = [`--workflow ${workflow}`, ...set.map((one) => `--set ${one}`)];
  return [`loopwright go ${JSON.stringify(title)}`, ...words, '--check "<your check>"'].join(" ");
}

/** Runs both, apart from each other, from one commit. */
function pairCommand([pick, other]: readonly [Choice, Choice], title: string): string {
  return [
    `loopwright experiment run ${JSON.stringify(title)}`,
    `--base ${pick.candidate.id}`,
    `--candidate ${other.candidate.id}`,
    '--check "<your check>"',
  ].join(" ");
}

export function recommendationView(found: Recommendation, title: string): JsonObject {
  const view = (choice: Choice) => choiceView(choice, title);
  return {
    pick: view(found.pick),
    reason: found.reason,
    why: whyOf(found),
    current: found.current === undefined ? null : view(found.current),
    saving:
      found.saving === undefined
        ? null
        : {
            usd_per_run: round(found.saving.usd),
            median_usd_per_run: round(found.saving.medianUsd),
            sd: round(found.saving.sd),
            prob: round(found.saving.prob),
          },
    ties: found.ties.map(view),
    curve: found.curve.map((choice) => ({ choice: view(choice), front_prob: round(choice.frontProb) })),
    explorations: found.explorations.map((pick) => explorationView(pick, title)),
    pair:
      found.pair === undefined
        ? null
        : {
            configs: found.pair.map(({ candidate }) => candidate.id),
            cost_usd: round(found.pair.reduce((sum, { costUsd }) => sum + costUsd.mean, 0)),
            other: found.pair[1].name,
            commands: found.pair.map((choice) => commandOf(choice, title)),
            command: pairCommand(found.pair, title),
          },
    choices: found.options.map((option) => optionView(option, title)),
    rescue: {
      usd_per_miss: Number.isFinite(found.rescue.usd) ? round(found.rescue.usd) : null,
      accepted_prob: round(found.rescue.acceptedProb),
    },
    success_from: found.successFrom,
    considered: found.considered,
  };
}

const TITLES: Readonly<Record<OptionKey, string>> = {
  goal: "the recommended way",
  pair: "the recommended way and the one worth trying, on the same task",
  reference: "what you run now",
  cheapest_run: "the cheapest run",
  most_likely: "the most likely to be accepted",
};

function optionView({ number, key, members }: Option, title: string): JsonObject {
  return {
    option: number,
    key,
    title: TITLES[key],
    recommended: key === "goal",
    members: members.map(({ choice, source }) => ({
      config: choice.candidate.id,
      name: choice.name,
      source,
      command: commandOf(choice, title),
      chance: choice.isChanceKnown ? round(choice.success.mean) : null,
      run_cost_usd: round(choice.costUsd.mean),
    })),
  };
}

function explorationView(pick: ExplorationPick, title: string): JsonObject {
  return {
    choice: choiceView(pick.choice, title),
    runs: pick.runs,
    gain_usd_per_run: round(pick.gainUsd),
    price_usd: round(pick.priceUsd),
    pair_usd: round(pick.pairUsd),
    payback_runs: pick.paybackRuns,
    auto_ok: pick.isAutoOk,
    beats_prob: round(pick.beatsProb),
  };
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function usd(value: number): string {
  return `$${value.toFixed(value >= 0.1 ? 2 : 4)}`;
}

const FIXED_WORDS: Readonly<Record<Exclude<PickReason, "current-kept" | "saves-more-than-noise">, string>> = {
  "cheapest-without-a-chance": "too few runs tell a chance, so this is only the cheapest of all ways",
  "lowest-loss": "lowest expected cost of a run together with putting its misses right",
  "current-retired":
    "what you run now uses a model that is not offered any more; of the rest this costs least",
  "reaches-the-goal": "cheapest one whose chance reaches the one you asked for",
  "most-likely": "none reaches the chance you asked for; this one comes closest",
};

/** One sentence that says why. */
function whyOf({ reason, current, pick, saving, ties }: Recommendation): string {
  switch (reason) {
    case "saves-more-than-noise":
      return `typically saves ${usd(saving?.medianUsd ?? 0)} a run against ${current?.name ?? "what you run now"}, misses included (${percent(saving?.prob ?? 0)} sure): ${percent(pick.success.mean)} against ${percent(current?.success.mean ?? 0)} accepted, ${pick.support.same} runs of it`;
    case "current-kept":
      return ties.length > 0
        ? "what you run now; others may be as good, none better by more than the noise"
        : "what you run now; nothing is better by more than the noise";
    default:
      return FIXED_WORDS[reason];
  }
}
