import { parse } from "smol-toml";
import type { Json } from "../../core/canonical-json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { didYouMean } from "../loop/did-you-mean.ts";
import { CONFIG_KEYS, type ConfigKey, checkValue, keyOf } from "./keys.ts";
import { formatKeyPath, parseKeyPath } from "./path.ts";
import { editToml } from "./toml-edit.ts";

/** The settings of a home: what is set, by dotted key. */
export interface Config {
  readonly values: ReadonlyMap<string, Json>;
  /** Keys in the file that nothing reads, perhaps those of a newer version. */
  readonly unread: readonly string[];
}

/** Reads `config.toml`. Problems: `bad-toml` with its place, `bad-input` for a value that its key cannot have. */
export function parseConfig(text: string): Result<Config> {
  let table: object;
  try {
    table = parse(text);
  } catch (error) {
    return fail("bad-toml", `config.toml cannot be read: ${firstLine(error)}`);
  }
  const values = new Map<string, Json>();
  const unread: string[] = [];
  for (const { path, value } of leaves(table, [])) {
    const name = formatKeyPath(path);
    const key = keyOf(path);
    if (key === undefined) unread.push(name);
    else {
      const checked = checkValue(key, name, value);
      if (!checked.ok) return { ok: false, problem: { ...checked.problem, at: `config.toml ${name}` } };
      values.set(name, checked.value);
    }
  }
  return ok({ values, unread });
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Values by path; a table that is itself the value of a key is not gone into. */
function leaves(value: unknown, path: readonly string[]): readonly Leaf[] {
  const isTable =
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
  const isLeaf = !isTable || (path.length > 0 && keyOf(path) !== undefined && !hasKeysBelow(path));
  if (isLeaf) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]));
}

function hasKeysBelow(path: readonly string[]): boolean {
  return CONFIG_KEYS.some(({ key }) => {
    const parts = key.split(".");
    return parts.length > path.length && path.every((part, i) => parts[i] === "*" || parts[i] === part);
  });
}

/** The key that a word of the command line names. `unknown-key` suggests the one that was perhaps meant. */
export function findKey(word: string): Result<{ readonly path: readonly string[]; readonly key: ConfigKey }> {
  const path = parseKeyPath(word);
  if (!path.ok) return path;
  const key = keyOf(path.value);
  if (key !== undefined) return ok({ path: path.value, key });
  const meant = didYouMean(
    word,
    CONFIG_KEYS.map((known) => known.key),
  );
  return fail("unknown-key", `nothing reads the key ${word}`, {
    hint: meant === undefined ? "list the keys with `loopwright config get`" : `did you mean ${meant}?`,
  });
}

/** The text of `config.toml` with one key set, or removed when the value is `null`. The old text stays on a problem. */
export function setConfig(text: string, word: string, value: string | undefined): Result<string> {
  const current = parseConfig(text);
  if (!current.ok) return current;
  const found = findKey(word);
  if (!found.ok) return found;
  const { path, key } = found.value;
  const read = value === undefined ? null : readValue(key, value);
  if (read === null) return ok(editToml(text, path, undefined));
  const checked = checkValue(key, formatKeyPath(path), read);
  return checked.ok ? ok(editToml(text, path, checked.value)) : checked;
}

/** As JSON where it is JSON, else as text; a list may be written with commas. */
function readValue({ value: kind }: ConfigKey, text: string): unknown {
  const parsed = asJson(text);
  if (parsed === null) return null;
  const takesWords = kind.kind === "words" || kind.kind === "words-or-map";
  if (takesWords && typeof parsed !== "object") {
    return text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "");
  }
  const takesText = kind.kind === "text" || kind.kind === "choice";
  return takesText && typeof parsed !== "string" ? text : parsed;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
