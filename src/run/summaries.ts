import type { CheckVerdict } from "../verify/types.ts";
import type { GateRecord, SessionState } from "./state.ts";

const WHY_CHARACTERS = 200;

/**
 * What the rounds before the last one came to, by the ledger alone: who ran, which checks began or ceased to pass, what
 * failed. The last round is told in full elsewhere and is one of the number that is asked for; empty when that is 0 or 1.
 */
export function summariesText(state: SessionState): string {
  const { rounds = 0, maxCharacters = 0 } = state.spec.summaries ?? {};
  const judged = lastOfEach(state.gates);
  const told = judged.slice(0, -1).slice(-Math.max(0, rounds - 1));
  if (rounds < 2 || told.length === 0) return "";
  const lines = told.map((gate) => {
    const text = summaryOf(state, gate, judged[judged.indexOf(gate) - 1]);
    return text.length <= maxCharacters ? text : `${text.slice(0, Math.max(0, maxCharacters - 1))}…`;
  });
  return ["What earlier rounds came to:", ...lines].join("\n");
}

/** A round is summed up by the last gate that judged it. */
function lastOfEach(gates: readonly GateRecord[]): readonly GateRecord[] {
  return [...new Map(gates.map((gate) => [gate.iteration, gate])).values()];
}

function summaryOf(state: SessionState, gate: GateRecord, before: GateRecord | undefined): string {
  const ran = state.attempts.filter(({ iteration }) => iteration === gate.iteration);
  const ended = ran.map(({ piece, provider, ended: end }) => {
    const reason = end?.end.reason ?? "lost";
    return `${piece} (${provider}${reason === "done" ? "" : `, ${reason}`})`;
  });
  const { checks } = gate.result;
  const passing = names(checks, "pass");
  const passed = before === undefined ? [] : names(before.result.checks, "pass");
  const won = before === undefined ? [] : passing.filter((name) => !passed.includes(name));
  const lost = passed.filter((name) => !passing.includes(name));
  return [
    `- Iteration ${gate.iteration}: ${ended.length === 0 ? "nobody ran" : `${ended.join(", ")} ran`}; ${passing.length} of ${checks.length} checks passed.`,
    ...(won.length > 0 ? [`Newly passing: ${won.join(", ")}.`] : []),
    ...(lost.length > 0 ? [`No longer passing: ${lost.join(", ")}.`] : []),
    ...checks.filter(({ blocking, verdict }) => blocking && verdict !== "pass").map(failure),
    ...(state.undone?.iteration === gate.iteration ? ["All of it was undone."] : []),
  ].join(" ");
}

function names(checks: readonly CheckVerdict[], verdict: CheckVerdict["verdict"]): readonly string[] {
  return checks.filter((check) => check.verdict === verdict).map(({ check }) => check);
}

function failure(check: CheckVerdict): string {
  const why =
    check.verdict === "uncheckable" ? check.problem.message : check.verdict === "fail" ? check.why : "";
  return `${check.check} failed: ${why.replaceAll("\n", " ").slice(0, WHY_CHARACTERS)}.`;
}
