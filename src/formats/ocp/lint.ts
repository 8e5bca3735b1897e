/** Warnings of ours, about what the protocol's rules leave unseen. Codes under `loopwright/`, never errors. */
import { isWorkflowRef } from "./configuration-id.ts";
import type { Path, Report } from "./finding.ts";
import { lintPrivacy } from "./lint-privacy.ts";
import { asMembers, dig, type Entity, entities, has, textAt } from "./members.ts";
import type { DocumentIndex } from "./rules/document-index.ts";
import type { OcpVersion } from "./types.ts";

export function lint(
  document: unknown,
  index: DocumentIndex,
  version: OcpVersion | undefined,
  report: Report,
): void {
  lintTimes(document, index, report);
  lintOrdinals(index, report);
  if (version === "0.3") {
    lintReferences(document, index, report);
    lintSignals(document, index, report);
    lintConfiguration(document, report);
  }
  if (textAt(document, "privacy", "profile") === "metadata_only") lintPrivacy(document, report);
}

function lintTimes(document: unknown, index: DocumentIndex, report: Report): void {
  const spans: readonly { readonly value: unknown; readonly path: Path }[] = [
    { value: dig(document, "run"), path: ["run"] },
    ...index.attempts,
  ];
  for (const { value, path } of spans) {
    const start = lintDay(value, path, "started_at", report);
    const end = lintDay(value, path, "ended_at", report);
    if (end < start)
      report("loopwright/ended-before-started", [...path, "ended_at"], "lies before started_at");
  }
  for (const { value, path } of index.events) lintDay(value, path, "at", report);
  for (const { value, path } of entities(dig(document, "run", "signals"), ["run", "signals"])) {
    lintDay(value, path, "observed_at", report);
  }
}

/** Milliseconds of a timestamp, NaN when there is none. The protocol's pattern lets the 99th month pass. */
function lintDay(value: unknown, path: Path, member: string, report: Report): number {
  const text = textAt(value, member);
  if (text === undefined) return Number.NaN;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})/.exec(text) ?? [];
  if (year === undefined) return Number.NaN;
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const isReal =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= daysInMonth &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 60;
  if (!isReal) report("loopwright/no-such-date", [...path, member], `${text.slice(0, 40)} is in no calendar`);
  return Date.parse(text);
}

function lintOrdinals(index: DocumentIndex, report: Report): void {
  const seen = new Set<string>();
  for (const { value, path } of index.attempts) {
    const n = dig(value, "n");
    const key = JSON.stringify([dig(value, "node"), n]);
    if (typeof n === "number" && seen.has(key)) {
      report(
        "loopwright/duplicate-ordinal",
        [...path, "n"],
        "another attempt at this node has the same number",
      );
    }
    seen.add(key);
  }
}

function lintReferences(document: unknown, index: DocumentIndex, report: Report): void {
  for (const { value, path } of index.artifacts) {
    const replaced = textAt(value, "supersedes");
    if (replaced !== undefined && !index.artifactsById.has(replaced)) {
      report("loopwright/dangling-artifact", [...path, "supersedes"], `no artifact '${replaced}'`);
    }
    for (const reader of Object.keys(asMembers(dig(value, "transfer_tokens")) ?? {})) {
      if (index.attemptsById.has(reader)) continue;
      report("loopwright/dangling-attempt", [...path, "transfer_tokens", reader], `no attempt '${reader}'`);
    }
  }
  const workflow = dig(document, "run", "configuration", "workflow");
  if (asMembers(workflow) === undefined || isWorkflowRef(workflow)) return;
  const pieces = pieceIds(workflow);
  for (const { value, path } of [...index.nodes, ...index.attempts]) {
    const vertex = textAt(value, "vertex");
    if (vertex !== undefined && !pieces.has(vertex)) {
      report("loopwright/unknown-vertex", [...path, "vertex"], `the workflow has no piece '${vertex}'`);
    }
  }
}

/** Nested pieces included. */
function pieceIds(workflow: unknown): Set<string> {
  const found = new Set<string>();
  for (const { id, value } of entities(dig(workflow, "pieces"), [])) {
    if (id !== undefined) found.add(id);
    for (const nested of pieceIds(dig(value, "workflow"))) found.add(nested);
  }
  return found;
}

const GOOD: readonly unknown[] = ["pass", "accept"];
const NO: readonly unknown[] = ["fail", "reject", "error"];
const BAD: readonly unknown[] = ["failed", "rejected", "canceled", "lost"];

function lintSignals(document: unknown, index: DocumentIndex, report: Report): void {
  const signals = entities(dig(document, "run", "signals"), ["run", "signals"]);
  lintUnique(signals, "signal", report);
  lintUnique(entities(dig(document, "run", "preferences"), ["run", "preferences"]), "preference", report);
  // A gate that failed by one of its verdicts may well have passed another.
  const denied = new Set(
    signals
      .filter(({ value }) => NO.includes(dig(value, "value")))
      .map(({ value }) => dig(value, "at_attempt")),
  );
  for (const { value, path } of signals) {
    const name = textAt(value, "at_attempt");
    if (name === undefined) continue;
    const attempt = index.attemptsById.get(name);
    if (attempt === undefined) {
      report("loopwright/dangling-attempt", [...path, "at_attempt"], `no attempt '${name}'`);
      continue;
    }
    const result = dig(attempt.value, "outcome", "result");
    if (GOOD.includes(dig(value, "value")) && BAD.includes(result) && !denied.has(name)) {
      report("loopwright/contradiction", [...path, "value"], `the attempt '${name}' ended as ${result}`);
    }
  }
}

function lintUnique(list: readonly Entity[], kind: string, report: Report): void {
  const seen = new Set<string>();
  for (const { id, path } of list) {
    if (id === undefined) continue;
    if (seen.has(id)) report("loopwright/duplicate-id", [...path, "id"], `duplicate ${kind} id '${id}'`);
    seen.add(id);
  }
}

function lintConfiguration(document: unknown, report: Report): void {
  const configuration = dig(document, "run", "configuration");
  const settings = asMembers(dig(configuration, "settings")) ?? {};
  for (const [piece, setting] of Object.entries(settings)) {
    const path = ["run", "configuration", "settings", piece, "options"];
    if (hasFraction(dig(setting, "options"))) {
      report(
        "loopwright/fractional-option",
        path,
        "a number with a fraction makes the configuration id fragile",
      );
    }
  }
  const top = entities(dig(configuration, "workflow", "pieces"), []);
  for (const { value } of top) {
    for (const id of pieceIds(dig(value, "workflow"))) {
      if (has(settings, id)) continue;
      const path = ["run", "configuration", "settings"];
      report("loopwright/nested-setting", path, `no setting for the nested piece '${id}'`);
    }
  }
}

function hasFraction(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasFraction);
}
