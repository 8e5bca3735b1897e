import { isJsonObject, type Json } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";

/** An entry of a list of skills that a person has: what it says of itself. */
export interface ListedSkill {
  readonly name: string;
  readonly from: string;
  readonly description: string;
  readonly stars: number;
  readonly relevance: number;
}

/** Names that are never taken, whatever stars they have. */
const GRABBERS = /credential|secret|exfil|keylog|password|token-?steal/i;

export function isGrabber(name: string): boolean {
  return GRABBERS.test(name);
}

/** The entries that name one of the terms, best first. A list that cannot be read is a problem, not an empty answer. */
export function searchIndex(
  text: string,
  terms: readonly string[],
  minStars: number,
): Result<readonly ListedSkill[]> {
  const entries = parsed(text);
  if (!Array.isArray(entries)) return fail("bad-json", "the list of skills is no JSON array");
  const words = terms.map((term) => term.toLowerCase());
  const listed = entries.flatMap((entry) => listedOf(entry, words));
  return ok(
    listed
      .filter(({ name, from, stars, relevance }) => {
        return relevance > 0 && stars >= minStars && !isGrabber(name) && !isGrabber(from);
      })
      .toSorted((a, b) => b.relevance - a.relevance || b.stars - a.stars),
  );
}

function listedOf(entry: Json, words: readonly string[]): readonly ListedSkill[] {
  if (!isJsonObject(entry)) return [];
  const from = textIn(entry["repo"]);
  const name = textIn(entry["slug"]) || (from.split("/").at(-1) ?? "");
  const description = textIn(entry["description"]);
  const all = [from, name, description, listIn(entry["categories"]), listIn(entry["pluginKeywords"])];
  const hay = all.join(" ").toLowerCase();
  const relevance = words.filter((word) => hay.includes(word)).length;
  return name === "" ? [] : [{ name, from, description, stars: Number(entry["stars"] ?? 0) || 0, relevance }];
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function listIn(value: Json | undefined): string {
  return Array.isArray(value) ? value.map(textIn).join(" ") : textIn(value);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
