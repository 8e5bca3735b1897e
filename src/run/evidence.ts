import type { SessionId } from "../core/ids.ts";
import { formatCost } from "../core/money.ts";
import { formatDuration } from "../core/time.ts";
import type { SessionState } from "./state.ts";

/** `007_make-the-tests-pass`: the folder of a session's readable copies. */
export function evidenceFolder(number: number, title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
  return `${String(number).padStart(3, "0")}_${slug === "" ? "session" : slug}`;
}

/** What happened, for a person who opens the folder in a month. The ledger stays the truth. */
export function evidenceText(session: SessionId, state: SessionState): string {
  const outcome = state.outcome ?? state.lifecycle;
  const lines = [
    `# ${state.spec.title}`,
    "",
    `${outcome}${state.stopped === undefined ? "" : ` (${state.stopped.why})`}, ${state.iteration} iteration(s), ${state.attempts.length} attempt(s), ${formatDuration(state.runningMs)}, ${formatCost(state.cost)}`,
    "",
    `Session ${session}, started ${state.createdAt}. A readable copy: the ledger is the truth (\`loopwright events --session ${session}\`).`,
    "",
    "## Checks",
    "",
    ...state.spec.gate.checks.map((check) => `- ${check.name}: ${check.statement}`),
    "",
    "## Verdicts",
    "",
    ...state.gates.flatMap(({ iteration, result }) => [
      `- iteration ${iteration}, judged ${result.level}, tree ${result.tree.slice(0, 12)}: ${result.satisfied ? "satisfied" : "not satisfied"}`,
      ...result.checks.map(
        (check) => `  - ${check.check}: ${check.verdict}${check.verdict === "fail" ? `, ${check.why}` : ""}`,
      ),
    ]),
    "",
    "## Attempts",
    "",
    ...state.attempts.map((attempt) => {
      const { ended } = attempt;
      const came =
        ended === undefined ? "not ended" : `${ended.end.reason}, ${ended.changes.length} path(s) changed`;
      return `- ${attempt.piece} #${attempt.n} (iteration ${attempt.iteration}, ${attempt.provider}): ${came}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}
