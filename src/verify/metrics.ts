import { isTable, own } from "./manifests/keys.ts";

export interface Metrics {
  readonly values: Readonly<Record<string, number>>;
  /** What could not be used, named. */
  readonly notes: readonly string[];
}

/**
 * Metrics that a check gave: the numbers of its metrics file, then of the JSON object on its stdout (the whole of it, or
 * its last line) for wanted names that the file lacks. A wanted name is a key, or a dotted path to one. Only finite
 * numbers count.
 */
export function readMetrics(file: string | undefined, stdout: string, wanted: readonly string[]): Metrics {
  const notes: string[] = [];
  const written = file === undefined ? undefined : object(file);
  if (file !== undefined && written === undefined) notes.push("the metrics file is not a JSON object");
  const printed = wanted.length > 0 ? (object(stdout) ?? object(lastLine(stdout))) : undefined;
  const values: Record<string, number> = {};
  for (const [name, value] of Object.entries(written ?? {})) {
    if (isNumber(value)) values[name] = value;
    else if (!isTable(value)) notes.push(`metric "${name}" is not a number`);
  }
  for (const name of wanted) {
    if (Object.hasOwn(values, name)) continue;
    const value = at(written, name) ?? at(printed, name);
    if (isNumber(value)) values[name] = value;
  }
  return { values, notes };
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

function object(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isTable(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function at(table: { readonly [key: string]: unknown } | undefined, name: string): unknown {
  if (table === undefined) return undefined;
  const direct = own(table, name);
  if (direct !== undefined) return direct;
  let value: unknown = table;
  for (const key of name.split(".")) value = isTable(value) ? own(value, key) : undefined;
  return value;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
