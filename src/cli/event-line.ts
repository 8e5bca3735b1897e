import type pc from "picocolors";
import type { DatedEvent, Progress } from "../commands/types.ts";
import { formatMicroUsd } from "../core/money.ts";
import { assertNever } from "../core/result.ts";
import { formatDuration } from "../core/time.ts";
import { clip } from "./text.ts";

type Colors = ReturnType<typeof pc.createColors>;
type Of<T extends DatedEvent["type"]> = Extract<DatedEvent, { readonly type: T }>;

/** The line that stays on the screen for an event; undefined for those that only move the live line. */
export function eventLine(
  progress: Extract<Progress, { kind: "event" }>,
  colors: Colors,
  columns: number,
): string | undefined {
  const { event } = progress;
  const fit = (text: string): string => clip(text, columns);
  switch (event.type) {
    case "baseline:recorded":
      return fit(`baseline: ${baselineText(event)}`);
    case "attempt:dispatched":
      return fit(
        `→ ${event.data.piece}, attempt ${event.data.n} (iteration ${event.data.iteration}, ${event.data.provider})`,
      );
    case "attempt:ended":
      return endedText(event, colors, fit);
    case "gate:evaluated":
      return gateText(event, colors, fit);
    case "verdict:read":
      return verdictText(event, fit);
    case "goal:satisfied":
      return colors.green("✔ goal satisfied");
    case "goal:revoked":
      return colors.red(fit(`✖ goal taken back: ${event.data.why}`));
    case "workspace:noticed":
      return colors.yellow(fit(`! ${progress.state.notices.at(-1) ?? event.data.notice}`));
    case "session:parked":
      return colors.yellow(fit(`waiting until ${event.data.until}: ${event.data.why}`));
    case "session:recovered":
      return fit(
        `recovered: ${event.data.drained.length} drained, ${event.data.lost.length} lost, ${event.data.reapedProcesses} processes ended`,
      );
    case "person:asked":
      return `\u0007${colors.yellow(fit(`? ${event.data.question}  (${event.data.answerWith})`))}`;
    case "work:integrated":
      return event.data.conflicts.length > 0
        ? colors.red(fit(`conflict in ${event.data.conflicts.join(", ")}; the work is kept`))
        : fit(`merged ${event.data.paths.length} path(s)`);
    case "command:accepted":
      return fit(`${event.data.kind} accepted`);
    default:
      return undefined;
  }
}

function baselineText(event: Of<"baseline:recorded">): string {
  const { state, level, checks } = event.data.baseline;
  const failing = checks.filter((check) => check.verdict === "fail").length;
  const summary = state === "red" ? `${failing} of ${checks.length} checks fail, as they should` : state;
  return `${summary} (judged ${level})`;
}

function endedText(event: Of<"attempt:ended">, colors: Colors, fit: (text: string) => string): string {
  const { end, durationMs, changes, priced, usage, summary } = event.data;
  const known = priced.flatMap((part) => (part.cost.kind === "known" ? [part.cost.microUsd] : []));
  const isUnknown = usage.kind === "unknown" || known.length < priced.length;
  const cost = isUnknown ? "cost unknown" : formatMicroUsd(known.reduce((sum, part) => sum + part, 0));
  const facts = `${end.reason} in ${formatDuration(durationMs)}, ${changes.length} path(s) changed, ${cost}`;
  const claim =
    summary.trim() === ""
      ? ""
      : `\n${colors.dim(fit(`    it says: ${summary.trim().split("\n").at(-1) ?? ""}`))}`;
  const detail = "detail" in end && end.detail !== "" ? `\n${fit(`    ${end.detail}`)}` : "";
  return `${fit(`  ${facts}`)}${detail}${claim}`;
}

function verdictText(event: Of<"verdict:read">, fit: (text: string) => string): string {
  const { piece, ruling } = event.data;
  switch (ruling.said) {
    case "pass":
      return fit(`${piece}: accepted`);
    case "pick":
      return fit(`${piece}: picked one, because ${ruling.evidence[0]?.what ?? ""}`);
    case "void":
      return fit(`${piece}: no verdict, ${ruling.why}`);
    case "fail":
      return [
        fit(`${piece}: sent back`),
        ...ruling.findings.map(({ where, what }) => fit(`  - ${where}: ${what}`)),
      ].join("\n");
    default:
      return assertNever(ruling);
  }
}

function gateText(event: Of<"gate:evaluated">, colors: Colors, fit: (text: string) => string): string {
  const { checks, level, satisfied, dependencyChange } = event.data.result;
  const lines = checks.map((check) => {
    const mark =
      check.verdict === "pass"
        ? colors.green("✔")
        : check.verdict === "fail"
          ? colors.red("✖")
          : colors.yellow("?");
    const why =
      check.verdict === "fail"
        ? `: ${check.why}`
        : check.verdict === "uncheckable"
          ? `: ${check.problem.message}`
          : "";
    return `  ${mark} ${fit(`${check.check}${check.blocking ? "" : " (advisory)"}${why}`)}`;
  });
  const head = satisfied ? `gate says yes (judged ${level})` : `gate says no (judged ${level})`;
  const reasons =
    dependencyChange?.needsApproval === true
      ? [fit(`  dependencies: ${dependencyChange.reasons.join("; ")}`)]
      : [];
  return [head, ...lines, ...reasons].join("\n");
}
