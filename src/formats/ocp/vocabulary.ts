/** Recommended words of open fields. Another word is legal and draws W200, where the field is listed here. */
import { InvariantError } from "../../core/result.ts";
import type { Report } from "./finding.ts";
import { asText, dig, entities } from "./members.ts";
import type { OcpVersion } from "./types.ts";

interface Words {
  /** Since 0.1. */
  readonly base: string;
  readonly since02?: string;
  readonly since03?: string;
}

const WORDS = {
  "node.kind": { base: "impl review test gate question docs ship plan ops", since02: "task unknown" },
  "node.state": {
    base: "queued working review blocked done failed rejected canceled settled_unverified",
  },
  "edge.kind": { base: "dep fan_in spawn", since02: "launch artifact" },
  "artifact.kind": {
    base: "plan review spec report code test config doc data log other",
    since03: "commit merge issue repo diff verdict test_record",
  },
  "role.value": {
    base: "lead solo planner dev reviewer cli subagent",
    since03: "implementer tester referee worker",
  },
  "phase.value": { base: "build post external" },
  "cost.basis": { base: "measured allocated" },
  "cause.type": { base: "initial sent_back gate_failed followup superseded other" },
  "outcome.evidence": { base: "verified reported heuristic asserted" },
  "event.type": {
    base: "attempt_started attempt_settled promoted directive note",
    since02: "launched artifact_written artifact_read",
    since03: "signal_observed receipt_written run_finished",
  },
  "task.type": { base: "bug_fix feature refactor tests docs research infra data" },
} as const satisfies Record<string, Words>;
export type WordList = keyof typeof WORDS;

const SPLIT = new Map<string, readonly string[]>();

export function vocabulary(name: WordList, version: OcpVersion): readonly string[] {
  const key = `${version} ${name}`;
  const known = SPLIT.get(key);
  if (known !== undefined) return known;
  const words = splitWords(WORDS[name], version);
  SPLIT.set(key, words);
  return words;
}

function splitWords(words: Words, version: OcpVersion): readonly string[] {
  const parts = [words.base];
  if (version !== "0.1" && words.since02 !== undefined) parts.push(words.since02);
  if (version === "0.3" && words.since03 !== undefined) parts.push(words.since03);
  return parts.join(" ").split(" ");
}

/**
 * One W200 for each word outside its list, in document order. Not for 0.1, whose lists are closed by the
 * schema.
 */
export function checkVocabulary(document: unknown, version: OcpVersion, report: Report): void {
  if (version === "0.1") throw new InvariantError("the vocabulary rule begins with 0.2");
  const check = (list: WordList, value: unknown, path: readonly (string | number)[]): void => {
    const word = asText(value);
    if (word === undefined || vocabulary(list, version).includes(word)) return;
    report("W200", path, `'${word.slice(0, 100)}' is not a recommended ${list}`);
  };
  if (version === "0.3") {
    check("task.type", dig(document, "run", "task", "type"), ["run", "task", "type"]);
  }
  for (const { value, path } of entities(dig(document, "nodes"), ["nodes"])) {
    check("node.kind", dig(value, "kind"), [...path, "kind"]);
    check("node.state", dig(value, "state"), [...path, "state"]);
  }
  for (const { value, path } of entities(dig(document, "edges"), ["edges"])) {
    check("edge.kind", dig(value, "kind"), [...path, "kind"]);
  }
  for (const { value, path } of entities(dig(document, "attempts"), ["attempts"])) {
    for (const [list, ...keys] of ATTEMPT_WORDS) check(list, dig(value, ...keys), [...path, ...keys]);
  }
  for (const { value, path } of entities(dig(document, "artifacts"), ["artifacts"])) {
    check("artifact.kind", dig(value, "kind", "value"), [...path, "kind", "value"]);
  }
  for (const { value, path } of entities(dig(document, "events"), ["events"])) {
    check("event.type", dig(value, "type"), [...path, "type"]);
  }
}

const ATTEMPT_WORDS = [
  ["role.value", "role", "value"],
  ["phase.value", "phase", "value"],
  ["cost.basis", "cost", "basis"],
  ["cause.type", "cause", "type"],
  ["outcome.evidence", "outcome", "evidence"],
] as const;
