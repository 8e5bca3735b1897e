import { parse, TomlDate, TomlError, type TomlTable, type TomlValue } from "smol-toml";
import type { Json, JsonObject } from "../../core/canonical-json.ts";
import type { Problem } from "../../core/result.ts";
import type { NumberTexts } from "../ocp/json-text.ts";
import { printFloat } from "../ocp/python-json.ts";

export type TomlRead =
  | { readonly table: JsonObject; readonly numbers: NumberTexts }
  | { readonly problem: Problem };

const MAX_DEPTH = 64;

/**
 * A TOML text as plain JSON: times as text, whole numbers and fractions both as numbers. Which of them was which is
 * in `numbers`, for the id that is a hash of how they were written.
 */
export function readToml(text: string, file: string): TomlRead {
  try {
    const parsed = parse(text, { integersAsBigInt: true, maxDepth: MAX_DEPTH, unsafeKeyBehaviour: "throw" });
    const numbers = new WeakMap<object, ReadonlyMap<string, string>>();
    return { table: tableJson(parsed, numbers), numbers };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    return { problem: { code: "bad-toml", message: why, at: `${file}:${error.line}:${error.column}` } };
  }
}

type Numbers = WeakMap<object, ReadonlyMap<string, string>>;

function tableJson(table: TomlTable, numbers: Numbers): JsonObject {
  const texts = new Map<string, string>();
  const entries = Object.entries(table).map(
    ([key, value]) => [key, valueJson(value, key, texts, numbers)] as const,
  );
  const made = Object.fromEntries(entries);
  if (texts.size > 0) numbers.set(made, texts);
  return made;
}

function listJson(list: readonly TomlValue[], numbers: Numbers): readonly Json[] {
  const texts = new Map<string, string>();
  const made = list.map((value, index) => valueJson(value, String(index), texts, numbers));
  if (texts.size > 0) numbers.set(made, texts);
  return made;
}

function valueJson(value: TomlValue, key: string, texts: Map<string, string>, numbers: Numbers): Json {
  if (typeof value === "bigint") {
    if (!Number.isSafeInteger(Number(value))) texts.set(key, value.toString());
    return Number(value);
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return String(value);
    texts.set(key, printFloat(value));
    return value;
  }
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (value instanceof TomlDate) return value.toISOString();
  return Array.isArray(value) ? listJson(value, numbers) : tableJson(value as TomlTable, numbers);
}
