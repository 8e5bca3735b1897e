import type { Json, JsonObject } from "../../core/canonical-json.ts";
import type { ProblemCode } from "../../core/problem-codes.ts";
import type { Problem } from "../../core/result.ts";
import type { NumberTexts } from "../ocp/json-text.ts";
import { placeOf } from "./places.ts";

/** Where a value stands in the file: `pieces`, `pieces[1].width`, `settings.review.effort`. */
export type FilePath = string;

/** What is wrong with a file, all of it, each with its place as far as it can be told. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #text: string;
  readonly #file: string;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  error(path: FilePath, message: string, code: ProblemCode = "bad-input", hint?: string): void {
    this.problems.push(this.#problem(path, message, code, hint));
  }

  warn(path: FilePath, message: string, hint?: string): void {
    this.warnings.push(this.#problem(path, message, "bad-input", hint));
  }

  #problem(path: FilePath, message: string, code: ProblemCode, hint?: string): Problem {
    const line = placeOf(this.#text, path);
    const at = line === undefined ? this.#file : `${this.#file}:${line}`;
    return { code, message, at, ...(hint === undefined ? {} : { hint }) };
  }
}

/** One table of the file. Each key is asked for once; what is left over is `extra`. */
export class TableReader {
  readonly path: FilePath;
  readonly findings: Findings;
  readonly #left: Map<string, Json>;

  constructor(table: JsonObject, path: FilePath, findings: Findings) {
    this.path = path;
    this.findings = findings;
    this.#left = new Map(
      Object.entries(table).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
  }

  at(key: string): FilePath {
    return this.path === "" ? key : `${this.path}.${key}`;
  }

  take(key: string): Json | undefined {
    const value = this.#left.get(key);
    this.#left.delete(key);
    return value;
  }

  text(key: string): string | undefined {
    const value = this.take(key);
    if (value === undefined || (typeof value === "string" && value.trim() !== "")) return value;
    this.findings.error(
      this.at(key),
      `${this.at(key)} must be a text that is not empty, not ${shown(value)}`,
    );
    return undefined;
  }

  /** A whole number of at least 1. `numbers` tells `2.0` from `2`. */
  count(key: string, fallback: number, isFraction: boolean): number {
    const value = this.take(key);
    if (value === undefined) return fallback;
    if (typeof value === "number" && Number.isInteger(value) && value >= 1 && !isFraction) return value;
    this.findings.error(
      this.at(key),
      `${this.at(key)} must be a whole number of at least 1, not ${shown(value)}`,
    );
    return fallback;
  }

  table(key: string): TableReader | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    const table = asTable(value);
    if (table !== undefined) return new TableReader(table, this.at(key), this.findings);
    this.findings.error(this.at(key), `${this.at(key)} must be a table, not ${shown(value)}`);
    return undefined;
  }

  list(key: string): readonly Json[] {
    const value = this.take(key);
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.findings.error(this.at(key), `${this.at(key)} must be a list, not ${shown(value)}`);
    return [];
  }

  /** The tables of a list; what is no table is a finding. */
  tables(key: string): readonly TableReader[] {
    return this.list(key).flatMap((item, index) => {
      const path = `${this.at(key)}[${index}]`;
      const table = asTable(item);
      if (table !== undefined) return [new TableReader(table, path, this.findings)];
      this.findings.error(path, `${path} must be a table, not ${shown(item)}`);
      return [];
    });
  }

  get extra(): JsonObject {
    return Object.fromEntries(this.#left);
  }
}

export function asTable(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function isFraction(numbers: NumberTexts, table: JsonObject, key: string): boolean {
  return /\D/.test(numbers.get(table)?.get(key)?.replace(/^-/, "") ?? "");
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
