import { isJsonObject, type Json, type JsonObject } from "../../core/canonical-json.ts";
import { type Digest, parseDigest } from "../../core/hash.ts";
import { type AttemptId, parseId, type SessionId } from "../../core/ids.ts";
import type { LeaseHolder } from "../../ports/store.ts";

/** A row as the driver gives it, or an object that was stored as JSON. */
export type Row = Readonly<Record<string, unknown>>;

/** A column does not hold what we once wrote: the file was altered or damaged. Reported as `store-damaged`. */
export class DamagedRowError extends Error {
  override readonly name = "DamagedRowError";
}

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null;
}

export function text(row: Row, column: string): string {
  return optionalText(row, column) ?? damaged(column, row[column]);
}

export function optionalText(row: Row, column: string): string | undefined {
  const value = row[column];
  if (value === null || value === undefined) return undefined;
  return typeof value === "string" ? value : damaged(column, value);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : damaged(column, value);
}

export function json(row: Row, column: string): Json {
  const stored = text(row, column);
  try {
    return JSON.parse(stored);
  } catch {
    return damaged(column, stored);
  }
}

export function jsonObject(row: Row, column: string): JsonObject {
  const value = json(row, column);
  return isJsonObject(value) ? value : damaged(column, value);
}

export function digest(row: Row, column: string): Digest {
  return parseDigest(text(row, column)) ?? damaged(column, row[column]);
}

export function sessionId(row: Row, column = "session"): SessionId {
  return parseId("session", text(row, column)) ?? damaged(column, row[column]);
}

export function attemptId(row: Row, column = "attempt"): AttemptId {
  return parseId("attempt", text(row, column)) ?? damaged(column, row[column]);
}

export function oneOf<T extends string>(row: Row, column: string, values: readonly T[]): T {
  const value = text(row, column);
  return values.find((known) => known === value) ?? damaged(column, value);
}

export function leaseHolder(row: Row, column = "holder"): LeaseHolder {
  const holder = jsonObject(row, column);
  return {
    pid: integer(holder, "pid"),
    host: text(holder, "host"),
    bootId: text(holder, "bootId"),
    startTicks: text(holder, "startTicks"),
    since: text(holder, "since"),
  };
}

function damaged(column: string, value: unknown): never {
  throw new DamagedRowError(`column ${column} holds ${String(JSON.stringify(value)).slice(0, 60)}`);
}
