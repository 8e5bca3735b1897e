import type { ProblemCode } from "./problem-codes.ts";

/**
 * An expected failure, as a value. `message` says what and where in one lower-case sentence without
 * a final stop; `hint` says what to do, with the exact command; `at` is `file:line:column` or a JSON pointer.
 */
export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint?: string;
  readonly at?: string;
  readonly cause?: string;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

/** A parse that reports every problem of its input at once. `problems` is never empty. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail(
  code: ProblemCode,
  message: string,
  more: Omit<Problem, "code" | "message"> = {},
): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: { code, message, ...more } };
}

/** A broken promise of our own code. The top level prints a short line and exits 70. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Closes an exhaustive switch. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected variant: ${JSON.stringify(value)}`);
}

/** Unwraps a result where a failure would be a bug of ours. */
export function must<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new InvariantError(`${result.problem.code}: ${result.problem.message}`);
}
