import type { CheckVerdict } from "../verify/types.ts";
import { judgementContract } from "./judgement.ts";
import { leftText, NOTES_CONTRACT } from "./notes.ts";
import { perturbationText } from "./perturb.ts";
import { PICK_CONTRACT, VERDICT_CONTRACT } from "./ruling.ts";
import type { AgentPiece } from "./spec.ts";
import { attemptOf, type SessionState } from "./state.ts";
import { SUGGESTION_CONTRACT } from "./suggestions.ts";
import { summariesText } from "./summaries.ts";

/** What one attempt is told. `system` is standing instruction, `prompt` the task of this attempt. */
export interface PieceText {
  readonly system: string;
  readonly prompt: string;
}

const TAIL_CHARACTERS = 3000;

/**
 * The text for the next attempt of a piece: the task, the bar, what it is given to read, what failed last time, what a
 * person added since, and the form of its answer where that is fixed.
 */
export function pieceText(
  state: SessionState,
  piece: AgentPiece,
  inputs: string,
  continues: boolean,
): PieceText {
  return {
    system: systemText(state),
    prompt: [
      piece.instruction,
      goalsText(state, piece),
      inputs,
      continues ? CONTINUES : "",
      ...(piece.answers === undefined
        ? [
            summariesText(state),
            feedbackText(state),
            refusalText(state),
            perturbationText(state),
            leftText(state, piece),
          ]
        : [voidText(state, piece)]),
      steeringText(state),
      contractText(state, piece),
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
  };
}

const CONTINUES =
  "An earlier attempt at this task was cut off. What it had changed is still in the working folder: look at it and go on from there.";

function systemText(state: SessionState): string {
  const { spec } = state;
  const lines = [
    `You are one step of the loop "${spec.title}". You work without a person: do not ask questions.`,
    "Whether the task is done is decided by checks that run outside your reach, on your files with protected paths restored. Saying that it is done has no effect.",
  ];
  if (spec.gate.protection.globs.length > 0 || spec.gate.protection.paths.length > 0) {
    lines.push("Changes to existing tests, test configuration and check scripts are undone before judging.");
  }
  if (spec.forbiddenPaths.length > 0) lines.push(`Do not touch: ${spec.forbiddenPaths.join(", ")}`);
  return [...lines, ...spec.rules].join("\n");
}

function goalsText(state: SessionState, piece: AgentPiece): string {
  const goals = state.spec.goals.filter(
    (goal) => piece.goals.length === 0 || piece.goals.includes(goal.name),
  );
  return goals
    .map((goal) => {
      const checks = state.spec.gate.checks
        .filter((check) => check.blocking && (check.target === goal.name || check.target === "overall"))
        .map((check) => `- ${check.name}: ${check.statement}`);
      const head = goal.description === piece.instruction ? [] : [`Goal ${goal.name}: ${goal.description}`];
      const judged = (goal.judged ?? []).map((statement) => `- ${statement} (a judge decides)`);
      return [...head, "It counts as reached when:", ...checks, ...judged].join("\n");
    })
    .join("\n\n");
}

function feedbackText(state: SessionState): string {
  const gate = state.gates.at(-1);
  if (gate === undefined) return baselineText(state);
  const failing = gate.result.checks.filter((check) => check.blocking && check.verdict !== "pass");
  if (failing.length === 0) return "";
  const restored = gate.result.restoredButWouldPass;
  return [
    `The last try (iteration ${gate.iteration}) did not pass. Do not repeat an approach that failed.`,
    ...failing.map(failureText),
    state.undone?.iteration === gate.iteration
      ? `All changes of that try were undone, since ${state.undone.rules.join(", ")} did not hold: the files are as they were before it.`
      : "",
    restored.length > 0 ? `Your changes to these paths do not count: ${restored.join(", ")}` : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** What a reviewer said, unless a check has said no since. */
function refusalText(state: SessionState): string {
  const verdict = state.verdicts.at(-1);
  const gate = state.gates.at(-1);
  if (verdict?.ruling.said !== "fail" || (gate !== undefined && gate.iteration > verdict.iteration))
    return "";
  return [
    `The work of iteration ${verdict.iteration} was reviewed and sent back. Mend this:`,
    ...verdict.ruling.findings.map(({ where, what }) => `- ${where}: ${what}`),
  ].join("\n");
}

function voidText(state: SessionState, piece: AgentPiece): string {
  const verdict = state.verdicts.findLast((one) => attemptOf(state, one.attempt)?.piece === piece.id);
  return verdict?.ruling.said === "void" ? `Your last answer did not count: ${verdict.ruling.why}.` : "";
}

function contractText(state: SessionState, piece: AgentPiece): string {
  if (piece.answers === undefined)
    return [
      ...(state.spec.memory === undefined ? [] : [NOTES_CONTRACT]),
      ...(state.spec.maySuggest === true ? [SUGGESTION_CONTRACT] : []),
    ].join("\n\n");
  switch (piece.answers) {
    case "verdict":
      return VERDICT_CONTRACT;
    case "pick":
      return PICK_CONTRACT;
    case "judgement":
      return judgementContract(piece.judges ?? []);
  }
}

function failureText(check: CheckVerdict): string {
  const why =
    check.verdict === "fail" ? check.why : check.verdict === "uncheckable" ? check.problem.message : "";
  const tail = check.evidence?.tail ?? "";
  return `Check ${check.check} says no: ${why}\n${cut(tail)}`;
}

function baselineText(state: SessionState): string {
  const failing = state.baseline?.checks.filter((check) => check.verdict === "fail") ?? [];
  if (failing.length === 0) return "";
  return [
    "Before any change:",
    ...failing.map((check) => `Check ${check.check} fails.\n${cut(check.tail)}`),
  ].join("\n\n");
}

function steeringText(state: SessionState): string {
  if (state.steering.length === 0) return "";
  return ["The person who started this loop adds:", ...state.steering.map((text) => `- ${text}`)].join("\n");
}

function cut(text: string): string {
  return text.length <= TAIL_CHARACTERS ? text : `[…]\n${text.slice(-TAIL_CHARACTERS)}`;
}
