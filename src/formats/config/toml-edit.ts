import { parse, stringify } from "smol-toml";
import { canonicalJson, type Json } from "../../core/canonical-json.ts";
import { formatKeyPath, parseKeyPath } from "./path.ts";

/**
 * The text with one key set, or removed when the value is undefined. Comments and order stay where the text keeps to
 * one line a key; otherwise, or when the outcome would say anything else, the whole text is written anew.
 */
export function editToml(text: string, path: readonly string[], value: Json | undefined): string {
  const wanted = withValue(parse(text), path, value);
  const edited = editLines(text, path, value);
  return says(edited, wanted) ? edited : stringify(wanted);
}

function says(text: string, wanted: object): boolean {
  try {
    return canonicalJson(pruned(parse(text)) as Json) === canonicalJson(pruned(wanted) as Json);
  } catch {
    return false;
  }
}

/** Without tables that hold nothing: an empty header says nothing. */
function pruned(table: object): object {
  const members = Object.entries(table).map(([key, value]: [string, unknown]) => {
    const isTable =
      typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
    return [key, isTable ? pruned(value) : value] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => !isEmptyTable(value)));
}

function isEmptyTable(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0 &&
    !(value instanceof Date)
  );
}

/** A copy with the key set; a table that is left empty goes too. */
function withValue(table: object, [first = "", ...rest]: readonly string[], value: Json | undefined): object {
  const members = new Map<string, unknown>(Object.entries(table));
  const below = members.get(first);
  if (rest.length === 0) {
    if (value === undefined) members.delete(first);
    else members.set(first, value);
  } else {
    const inner = withValue(typeof below === "object" && below !== null ? below : {}, rest, value);
    if (Object.keys(inner).length === 0) members.delete(first);
    else members.set(first, inner);
  }
  return Object.fromEntries(members);
}

function editLines(text: string, path: readonly string[], value: Json | undefined): string {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const table = path.slice(0, -1);
  let current: readonly string[] = [];
  let endOfTable = table.length === 0 ? 0 : -1;
  for (const [index, line] of lines.entries()) {
    const header = /^\s*\[([^[\]]+)\]\s*(#.*)?$/.exec(line)?.[1];
    if (header !== undefined) current = pathOf(header);
    const assigned = header === undefined ? /^\s*([^=#]+?)\s*=/.exec(line)?.[1] : undefined;
    if (assigned !== undefined && isSame([...current, ...pathOf(assigned)], path)) {
      const replaced = value === undefined ? [] : [`${assigned} = ${inline(value)}`];
      return joined([...lines.slice(0, index), ...replaced, ...lines.slice(index + 1)]);
    }
    if (isSame(current, table) && line.trim() !== "") endOfTable = index + 1;
  }
  if (value === undefined) return text;
  const added = `${formatKeyPath(path.slice(-1))} = ${inline(value)}`;
  if (endOfTable >= 0) return joined([...lines.slice(0, endOfTable), added, ...lines.slice(endOfTable)]);
  const gap = lines.length === 0 ? [] : [""];
  return joined([...lines, ...gap, `[${formatKeyPath(table)}]`, added]);
}

function joined(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function pathOf(text: string): readonly string[] {
  const path = parseKeyPath(text.trim());
  return path.ok ? path.value : [];
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

/** One line of TOML. Escapes of JSON strings are escapes of TOML's too. */
function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [`${formatKeyPath([key])} = ${inline(member)}`],
    );
    return `{ ${members.join(", ")} }`;
  }
  return JSON.stringify(value);
}
