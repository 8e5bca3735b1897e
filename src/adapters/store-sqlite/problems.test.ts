import { describe, expect, test } from "vitest";
import { DamagedRowError } from "./columns.ts";
import { isBusy, storeProblem } from "./problems.ts";

function sqliteError(message: string, errcode?: number): Error {
  return Object.assign(
    new Error(message),
    { code: "ERR_SQLITE_ERROR" },
    errcode === undefined ? {} : { errcode },
  );
}

function codeOf(error: unknown): string {
  const result = storeProblem(error, "/home/loopwright.db");
  return result.ok ? "ok" : result.problem.code;
}

describe("store problems", () => {
  test("extended codes count as their primary one", () => {
    expect(isBusy(sqliteError("", 261))).toBe(true);
    expect(isBusy(sqliteError("", 517))).toBe(true);
    expect(isBusy(sqliteError("", 11))).toBe(false);
    expect(codeOf(sqliteError("", 267))).toBe("store-damaged");
    expect(codeOf(sqliteError("", 778))).toBe("store-unusable");
  });

  test("an error without its number is known by SQLite's own text", () => {
    expect(isBusy(sqliteError("database is locked"))).toBe(true);
    expect(codeOf(sqliteError("database disk image is malformed"))).toBe("store-damaged");
    expect(codeOf(sqliteError("database or disk is full"))).toBe("store-full");
  });

  test.each([
    [Object.assign(new Error("no space"), { code: "ENOSPC" }), "store-full"],
    [Object.assign(new Error("quota"), { code: "EDQUOT" }), "store-full"],
    [sqliteError("disk I/O error", 4874), "store-full"],
    [Object.assign(new Error("denied"), { code: "EACCES" }), "store-unusable"],
    [sqliteError("readonly", 8), "store-unusable"],
    [new DamagedRowError("column head_hash holds 1"), "store-damaged"],
  ])("%s is a problem of the store", (error, code) => {
    expect(codeOf(error)).toBe(code);
  });

  test.each([new TypeError("ours"), sqliteError("UNIQUE constraint failed", 1555), "text"])(
    "%s is a bug and passes through",
    (error) => {
      expect(() => storeProblem(error, "/home/loopwright.db")).toThrow();
    },
  );
});
