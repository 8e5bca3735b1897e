import type { ProblemCode } from "../../core/problem-codes.ts";
import type { Problem } from "../../core/result.ts";

/**
 * How bad it is. `error`: the grammar refuses the file. `warning`: it works and is probably not meant. `risk`: the
 * grammar has nothing against it, but a run would trip over it.
 */
export type Severity = "error" | "warning" | "risk";

/** A problem with its path in the words of the 1.0 grammar. */
export interface Finding extends Problem {
  readonly severity: Severity;
  readonly path: string;
  /** Of a risk: its name, and whether a run can come to nothing else, so that a start is refused. */
  readonly risk?: { readonly name: string; readonly isFatal: boolean };
}

/** Collects what is wrong with a file, and where each path of it stands. */
export class Findings {
  readonly #found: Finding[] = [];
  readonly #places = new Map<string, string>();
  #unread = 0;

  /** In order of their places. */
  get all(): readonly Finding[] {
    return this.#found.toSorted(byPlace);
  }

  /** Whether every value had its type; else what was read holds stand-ins. */
  get isRead(): boolean {
    return this.#unread === 0;
  }

  /** Remembers a place, so that later checks can name it by path alone. */
  mark(path: string, at: string): void {
    this.#places.set(path, at);
  }

  /** A value that cannot be read: what stands in for it is not the author's. */
  unreadable(code: ProblemCode, path: string, message: string, hint?: string): void {
    this.#unread += 1;
    this.error(code, path, message, hint);
  }

  error(code: ProblemCode, path: string, message: string, hint?: string): void {
    this.#add("error", code, path, message, hint);
  }

  warn(path: string, message: string, hint?: string): void {
    this.#add("warning", "bad-input", path, message, hint);
  }

  risk(name: string, path: string, message: string, hint: string): void {
    this.#add("risk", "bad-input", path, message, hint, { name, isFatal: false });
  }

  /** A risk that leaves no way to success. */
  fatalRisk(name: string, code: ProblemCode, path: string, message: string, hint: string): void {
    this.#add("risk", code, path, message, hint, { name, isFatal: true });
  }

  /** A rule across values; silent where the value itself could not be read. */
  rule(path: string, message: string, hint?: string, code: ProblemCode = "bad-input"): void {
    const isKnown = this.#found.some((found) => found.path === path && found.severity === "error");
    if (!isKnown) this.error(code, path, message, hint);
  }

  /** Refuses blank names and the second of two equal ones. */
  unique(names: readonly string[], pathOf: (index: number) => string): void {
    const seen = new Set<string>();
    for (const [index, name] of names.entries()) {
      if (name.trim() === "") this.rule(pathOf(index), "must not be blank");
      else if (seen.has(name)) this.rule(pathOf(index), `"${name}" is used twice`);
      seen.add(name);
    }
  }

  isWritten(path: string): boolean {
    return this.#places.has(path);
  }

  /** The place of a path, or of the nearest thing around it that is written down. */
  placeOf(path: string): string | undefined {
    let here = path;
    for (;;) {
      const at = this.#places.get(here);
      if (at !== undefined || here === "") return at;
      here = here.slice(0, Math.max(0, here.lastIndexOf("."), here.lastIndexOf("[")));
    }
  }

  #add(
    severity: Severity,
    code: ProblemCode,
    path: string,
    message: string,
    hint: string | undefined,
    risk?: Finding["risk"],
  ): void {
    const at = this.placeOf(path);
    this.#found.push({
      severity,
      code,
      path,
      message: path === "" ? message : `${path}: ${message}`,
      ...(at !== undefined && { at }),
      ...(hint !== undefined && { hint }),
      ...(risk !== undefined && { risk }),
    });
  }
}

function byPlace(a: Finding, b: Finding): number {
  const [lineA = 0, columnA = 0] = lineAndColumn(a);
  const [lineB = 0, columnB = 0] = lineAndColumn(b);
  return lineA - lineB || columnA - columnB;
}

function lineAndColumn({ at }: Finding): readonly number[] {
  return (at ?? "").split(":").slice(-2).map(Number);
}
