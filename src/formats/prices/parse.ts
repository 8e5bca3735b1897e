import { parse, TomlError } from "smol-toml";
import { fail, type Parsed, type Problem } from "../../core/result.ts";
import type { PriceRow, PriceTable, Rates } from "./table.ts";

type Entry = { readonly [key: string]: unknown };

const RATE_KEYS = ["input", "cache_read", "cache_write", "cache_write_5m", "cache_write_1h", "output"];
const ROW_KEYS = [...RATE_KEYS, "from", "source", "todo", "zero_ok", "long_context", "tiers", "dated"];
const LONG_KEYS = [...RATE_KEYS, "above"];

/**
 * Reads a price file: `as_of`, optionally `web_search` (dollars per request), and one quoted table per model with dollars per
 * million tokens. `cache_write` stands for both lifetimes unless `cache_write_5m` or `cache_write_1h` say otherwise;
 * `from`, `[[model.dated]]`, `[[model.long_context]]` and `[model.tiers]` are optional. Reports every problem at
 * once, with `file` in front of the key path.
 */
export function parsePrices(text: string, file: string): Parsed<PriceTable> {
  let root: Entry;
  try {
    root = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split("\n")[0] ?? "no TOML";
    return {
      ok: false,
      problems: [problem("bad-toml", message.toLowerCase(), `${file}:${error.line}:${error.column}`)],
    };
  }
  const reader = new TableReader(file);
  const table = reader.table(root);
  return reader.problems.length > 0 ? { ok: false, problems: reader.problems } : { ok: true, value: table };
}

function problem(code: "bad-toml" | "bad-input" | "unknown-key", message: string, at: string): Problem {
  return fail(code, message, { at }).problem;
}

class TableReader {
  readonly problems: Problem[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  table(root: Entry): PriceTable {
    const models: Record<string, readonly PriceRow[]> = {};
    for (const [name, value] of Object.entries(root)) {
      if (name === "as_of" || name === "web_search") continue;
      if (isEntry(value)) models[name] = this.#rows(name, value);
      else this.#add("unknown-key", `${name} is no table of a model`, name);
    }
    if (Object.keys(models).length === 0) this.#add("bad-input", "no model has a price", "");
    const webSearch = root["web_search"];
    return {
      date: this.#day(root["as_of"], "as_of") ?? "",
      source: this.#file,
      webSearchUsd: webSearch === undefined ? 0.01 : this.#rate(webSearch, "web_search"),
      models,
    };
  }

  #rows(name: string, entry: Entry): PriceRow[] {
    const first = this.#row(name, entry, undefined);
    const later = entries(entry["dated"]).map((item, i) => this.#row(`${name}.dated.${i}`, item, first));
    return [first, ...later].sort((a, b) => ((a.from ?? "") < (b.from ?? "") ? -1 : 1));
  }

  #row(path: string, entry: Entry, inherited: PriceRow | undefined): PriceRow {
    this.#only(entry, ROW_KEYS, path);
    const day = entry["from"] === undefined ? undefined : this.#day(entry["from"], `${path}.from`);
    if (inherited !== undefined && day === undefined)
      this.#add("bad-input", "a dated row needs a day in from", path);
    const source = entry["source"];
    if (source !== undefined && typeof source !== "string")
      this.#add("bad-input", "source is no text", `${path}.source`);
    const long = entries(entry["long_context"]).map((item, i) =>
      this.#long(`${path}.long_context.${i}`, item),
    );
    return {
      ...(day === undefined ? {} : { from: day }),
      rates: this.#rates(entry, path),
      longContext: long.sort((a, b) => a.aboveTokens - b.aboveTokens),
      tiers: entry["tiers"] === undefined ? (inherited?.tiers ?? {}) : this.#tiers(entry["tiers"], path),
      source: typeof source === "string" ? source : (inherited?.source ?? this.#file),
      isGuess: this.#flag(entry, "todo", path),
      ...(this.#flag(entry, "zero_ok", path) ? { hasFreeParts: true } : {}),
    };
  }

  #long(path: string, entry: Entry): PriceRow["longContext"][number] {
    this.#only(entry, LONG_KEYS, path);
    const above = entry["above"];
    const isCount = typeof above === "number" && Number.isSafeInteger(above) && above >= 0;
    if (!isCount) this.#add("bad-input", "above is no token count", `${path}.above`);
    return { aboveTokens: isCount ? above : 0, rates: this.#rates(entry, path) };
  }

  #rates(entry: Entry, path: string): Rates {
    const one = (key: string): number => this.#rate(entry[key], `${path}.${key}`);
    const optional = (key: string): number | undefined => (entry[key] === undefined ? undefined : one(key));
    const short = optional("cache_write_5m");
    const long = optional("cache_write_1h");
    const needsWrite = short === undefined || long === undefined;
    const write = needsWrite ? one("cache_write") : (optional("cache_write") ?? 0);
    return {
      input: one("input"),
      write5m: short ?? write,
      write1h: long ?? write,
      read: one("cache_read"),
      output: one("output"),
    };
  }

  #rate(value: unknown, path: string): number {
    if (value === undefined) this.#add("bad-input", "a rate is missing", path);
    else if (typeof value !== "number" || !Number.isFinite(value))
      this.#add("bad-input", "a rate is no number", path);
    else if (value < 0) this.#add("bad-input", "a rate is negative", path);
    else return value;
    return 0;
  }

  #tiers(value: unknown, path: string): Record<string, number> {
    if (!isEntry(value)) {
      this.#add("bad-input", "tiers is no table of factors", `${path}.tiers`);
      return {};
    }
    return Object.fromEntries(
      Object.entries(value).map(([tier, factor]) => [tier, this.#rate(factor, `${path}.tiers.${tier}`)]),
    );
  }

  #flag(entry: Entry, key: string, path: string): boolean {
    const value = entry[key];
    if (value !== undefined && typeof value !== "boolean") {
      this.#add("bad-input", `${key} is neither true nor false`, `${path}.${key}`);
    }
    return value === true;
  }

  #day(value: unknown, path: string): string | undefined {
    const text = value instanceof Date ? value.toISOString() : value;
    const day = typeof text === "string" ? /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] : undefined;
    if (day === undefined || Number.isNaN(Date.parse(day))) {
      this.#add("bad-input", "a day like 2026-11-30 is needed", path);
      return undefined;
    }
    return day;
  }

  #only(entry: Entry, keys: readonly string[], path: string): void {
    for (const key of Object.keys(entry)) {
      if (!keys.includes(key)) this.#add("unknown-key", `unknown key ${key}`, `${path}.${key}`);
    }
  }

  #add(code: "bad-input" | "unknown-key", message: string, path: string): void {
    this.problems.push(problem(code, message, path === "" ? this.#file : `${this.#file}: ${path}`));
  }
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** One table or an array of tables. */
function entries(value: unknown): Entry[] {
  return (Array.isArray(value) ? value : [value]).filter(isEntry);
}
