import type { DatedEvent, Progress } from "../commands/types.ts";
import { formatMicroUsd } from "../core/money.ts";
import { assertNever } from "../core/result.ts";
import { formatDuration } from "../core/time.ts";
import type { Colors } from "./colors.ts";
import { checkLabel, checkMark, clip, wrapTalk } from "./text.ts";

type Of<T extends DatedEvent["type"]> = Extract<DatedEvent, { readonly type: T }>;

/** The line that stays on the screen for an event; undefined for those that only move the live line. */
export function eventLine(
  progress: Extract<Progress, { kind: "event" }>,
  colors: Colors,
  columns: number,
): string | undefined {
  const { event } = progress;
  const shorten = (text: string): string => clip(text, columns);
  switch (event.type) {
    case "baseline:recorded":
      return baselineText(event, colors, columns);
    case "attempt:dispatched":
      return shorten(
        `→ ${event.data.piece}, attempt ${event.data.n} (iteration ${event.data.iteration}, ${event.data.provider})`,
      );
    case "attempt:ended":
      return endedText(event, colors, shorten);
    case "gate:evaluated":
      return gateText(event, colors, columns);
    case "verdict:read":
      return verdictText(event, shorten);
    case "goal:satisfied":
      return colors.green("✔ goal satisfied");
    case "goal:revoked":
      return colors.red(shorten(`✖ goal taken back: ${event.data.why}`));
    case "work:rolled-back":
    case "iteration:perturbed":
    case "workspace:noticed":
      return colors.yellow(shorten(`! ${progress.state.notices.at(-1) ?? event.type}`));
    case "piece:skipped":
      return event.data.stands === undefined
        ? undefined
        : colors.yellow(shorten(`! ${event.data.piece} is not sent back again: ${event.data.because}`));
    case "session:parked":
      return colors.yellow(shorten(`waiting until ${event.data.until}: ${event.data.why}`));
    case "session:recovered":
      return shorten(
        `recovered: ${event.data.drained.length} drained, ${event.data.lost.length} lost, ${event.data.reapedProcesses} processes ended`,
      );
    case "person:asked":
      return `\u0007${colors.yellow(shorten(`? ${event.data.question}  (${event.data.answerWith})`))}`;
    case "work:integrated":
      return event.data.conflicts.length > 0
        ? colors.red(shorten(`conflict in ${event.data.conflicts.join(", ")}; the work is kept`))
        : shorten(`merged ${event.data.paths.length} path(s)`);
    case "command:accepted":
      return shorten(`${event.data.kind} accepted`);
    default:
      return undefined;
  }
}

function baselineText(event: Of<"baseline:recorded">, colors: Colors, columns: number): string {
  const { state, level, checks, notes } = event.data.baseline;
  const failing = checks.filter((check) => check.verdict === "fail").length;
  const [verb, pronoun] = failing === 1 ? ["fails", "it"] : ["fail", "they"];
  const red = `${failing} of ${checks.length} checks ${verb}, as ${pronoun} should`;
  const summary = { red, green: "every check passes already", uncheckable: "the checks cannot be run" };
  const head = clip(`before any work: ${summary[state]} (judged ${level})`, columns);
  const why = notes.map((note) => colors.dim(wrapTalk(`    ${note}`, columns)));
  return [head, ...why].join("\n");
}

function endedText(event: Of<"attempt:ended">, colors: Colors, shorten: (text: string) => string): string {
  const { end, durationMs, changes, priced, usage, summary } = event.data;
  const known = priced.flatMap((part) => (part.cost.kind === "known" ? [part.cost.microUsd] : []));
  const isUnknown = usage.kind === "unknown" || known.length < priced.length;
  const cost = isUnknown ? "cost unknown" : formatMicroUsd(known.reduce((sum, part) => sum + part, 0));
  const facts = `${end.reason} in ${formatDuration(durationMs)}, ${changes.length} path(s) changed, ${cost}`;
  const claim =
    summary.trim() === ""
      ? ""
      : `\n${colors.dim(shorten(`    it says: ${summary.trim().split("\n").at(-1) ?? ""}`))}`;
  const detail = "detail" in end && end.detail !== "" ? `\n${shorten(`    ${end.detail}`)}` : "";
  return `${shorten(`  ${facts}`)}${detail}${claim}`;
}

function verdictText(event: Of<"verdict:read">, shorten: (text: string) => string): string {
  const { piece, ruling } = event.data;
  switch (ruling.said) {
    case "pass":
      return shorten(`${piece}: accepted`);
    case "pick":
      return shorten(`${piece}: picked one, because ${ruling.evidence[0]?.what ?? ""}`);
    case "void":
      return shorten(`${piece}: no verdict, ${ruling.why}`);
    case "fail":
      return [
        shorten(`${piece}: sent back`),
        ...ruling.findings.map(({ where, what }) => shorten(`  - ${where}: ${what}`)),
      ].join("\n");
    default:
      return assertNever(ruling);
  }
}

function gateText(event: Of<"gate:evaluated">, colors: Colors, columns: number): string {
  const { checks, targets, level, satisfied, dependencyChange } = event.data.result;
  const lines = checks.map(
    (check) => `  ${checkMark(check.verdict, colors)} ${checkText(check, columns - 4)}`,
  );
  const head = satisfied ? `gate says yes (judged ${level})` : `gate says no (judged ${level})`;
  const reasons: string[] = [];
  if (dependencyChange?.needsApproval === true)
    reasons.push(wrapTalk(`    dependencies: ${dependencyChange.reasons.join("; ")}`, columns));
  // Every check passes, and still it is a no: then the checks alone do not tell why.
  if (!satisfied && checks.every((check) => check.verdict === "pass"))
    reasons.push(
      ...targets
        .filter((target) => !target.satisfied)
        .map((target) => wrapTalk(`    ${target.reason}`, columns)),
    );
  return [head, ...lines, ...reasons].join("\n");
}

function checkText(check: Of<"gate:evaluated">["data"]["result"]["checks"][number], columns: number): string {
  const why =
    check.verdict === "fail" ? check.why : check.verdict === "uncheckable" ? check.problem.message : "";
  return checkLabel(`${check.check}${check.blocking ? "" : " (advisory)"}`, why, columns);
}
