import { isJsonObject, type Json, type JsonObject } from "../core/canonical-json.ts";
import type { AttemptId } from "../core/ids.ts";
import { readJson } from "../formats/ocp/json-text.ts";
import type { Candidate } from "./candidates.ts";

/** One thing that was looked at: where, and what was seen there. */
export interface Point {
  readonly where: string;
  readonly what: string;
}

/** What came of a reviewer's or selector's last words. Only `pass` and `pick` are a yes. */
export type Ruling =
  | { readonly said: "pass"; readonly evidence: readonly Point[] }
  | { readonly said: "fail"; readonly findings: readonly Point[] }
  | { readonly said: "pick"; readonly pick: AttemptId; readonly evidence: readonly Point[] }
  /** No verdict that counts: absent, malformed, without evidence, or on something that is no longer there. */
  | { readonly said: "void"; readonly why: string };

export function isYes(ruling: Ruling): boolean {
  return ruling.said === "pass" || ruling.said === "pick";
}

/** What a reviewer is told about its last message. `readVerdict` reads exactly this. */
export const VERDICT_CONTRACT = `Your last message must be one JSON object and nothing else, at most 3500 characters long:
{"verdict": "pass", "evidence": [{"where": "file:line or command", "what": "what you saw there that shows it"}]}
or
{"verdict": "fail", "findings": [{"where": "file:line", "what": "what is wrong and what would be right"}]}
A pass needs evidence of what you looked at, a fail needs findings. Anything else counts as no verdict, and no verdict is not a pass.`;

/** What a selector is told about its last message. `readPick` reads exactly this. */
export const PICK_CONTRACT = `Your last message must be one JSON object and nothing else, at most 3500 characters long:
{"pick": "A", "evidence": [{"where": "letter, file:line or command", "what": "what you saw there that decides it"}]}
The pick is the letter of one candidate. Anything else counts as no pick.`;

const MAX_POINTS = 50;
const MAX_POINT_CHARS = 1000;

/** A reviewer's last words. Without exactly the contract's form it is void; so is a pass without evidence. */
export function readVerdict(words: string): Ruling {
  const answer = lastObject(words);
  if (answer === undefined) return voided("its last message is not one JSON object with a verdict");
  switch (answer["verdict"]) {
    case "pass": {
      const evidence = pointsOf(answer["evidence"]);
      if (evidence === undefined || evidence.length === 0) return voided("it says pass without evidence");
      if ((pointsOf(answer["findings"]) ?? []).length > 0) return voided("it says pass and lists findings");
      return { said: "pass", evidence };
    }
    case "fail": {
      const findings = pointsOf(answer["findings"]);
      return findings === undefined || findings.length === 0
        ? voided("it says fail without a finding")
        : { said: "fail", findings };
    }
    default:
      return voided('its verdict is neither "pass" nor "fail"');
  }
}

/** A selector's last words, over the candidates as they were lettered for it. */
export function readPick(
  words: string,
  candidates: readonly Pick<Candidate, "letter" | "attempt">[],
): Ruling {
  const answer = lastObject(words);
  if (answer === undefined) return voided("its last message is not one JSON object with a pick");
  const letter = answer["pick"];
  const picked = candidates.find((candidate) => candidate.letter === letter);
  if (picked === undefined) {
    return voided(`its pick is none of ${candidates.map((candidate) => candidate.letter).join(", ")}`);
  }
  const evidence = pointsOf(answer["evidence"]);
  if (evidence === undefined || evidence.length === 0) return voided("it picks without evidence");
  return { said: "pick", pick: picked.attempt, evidence };
}

function voided(why: string): Ruling {
  return { said: "void", why };
}

/** The message must be the object, bare or in one code fence. What says a thing twice says nothing. */
function lastObject(words: string): JsonObject | undefined {
  const text = words.trim();
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n\s*```$/.exec(text);
  const read = readJson(fenced?.[1] ?? text);
  return read.ok && read.duplicates.length === 0 && isJsonObject(read.value) ? read.value : undefined;
}

/** Undefined when it is no list, or when a member lacks its place or its words. */
function pointsOf(value: Json | undefined): readonly Point[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_POINTS) return undefined;
  const points: Point[] = [];
  for (const item of value as readonly Json[]) {
    const { where, what } = isJsonObject(item) ? item : {};
    if (typeof where !== "string" || typeof what !== "string") return undefined;
    if (where.trim() === "" || what.trim() === "") return undefined;
    points.push({ where: where.slice(0, MAX_POINT_CHARS), what: what.slice(0, MAX_POINT_CHARS) });
  }
  return points;
}
