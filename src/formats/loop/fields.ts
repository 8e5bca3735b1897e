import type { ProblemCode } from "../../core/problem-codes.ts";

/** Bounds of a number. */
export interface NumberBounds {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/**
 * The members of one map, asked for one by one. The grammar is written as functions over this: read from a file it gives
 * values and findings (`MapReader`), and asked for its own shape it gives the JSON Schema (`SchemaFields`). So neither
 * can know a key that the other does not.
 */
export interface Fields {
  /** Dotted, with list indices in brackets. */
  readonly path: string;
  /** The path of a member. */
  at(key: string): string;
  has(key: string): boolean;
  /** Without a fallback the key is required; so in all of these. */
  text(key: string, fallback?: string): string;
  optionalText(key: string): string | undefined;
  texts(key: string, fallback?: readonly string[]): readonly string[];
  flag(key: string, fallback?: boolean): boolean;
  number(key: string, fallback?: number, bounds?: NumberBounds): number;
  /** A whole number of at least 0. */
  whole(key: string, fallback?: number): number;
  optional<T>(key: string, read: (key: string) => T): T | undefined;
  word<W extends string>(key: string, words: readonly W[], fallback?: W): W;
  words<W extends string>(key: string, words: readonly W[], fallback?: readonly W[]): readonly W[];
  maps<T>(key: string, read: (fields: Fields) => T): readonly T[];
  /** An absent map is read as an empty one, or refused when `missing` says what was expected. */
  map<T>(key: string, read: (fields: Fields) => T, missing?: string): T;
  /** A map whose keys are names of the author's. */
  byName<T>(key: string, read: (fields: Fields) => T): ReadonlyMap<string, T>;
  /** A map whose shape depends on the word under `tag`. */
  variant<W extends string, T>(
    tag: string,
    branches: Readonly<Record<W, (fields: Fields) => T>>,
    fallback?: NoInfer<W>,
  ): T;
  /** The one of two spellings of a key that the file uses; both at once are refused. */
  spelling(ours: string, theirs: string): string;
  refuse(key: string, message: string, code?: ProblemCode, hint?: string): void;
}
