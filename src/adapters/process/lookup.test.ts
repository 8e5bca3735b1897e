import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findProgram, which } from "./lookup.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "loopwright-lookup-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function program(folder: string, name: string, mode = 0o755): string {
  mkdirSync(join(dir, folder), { recursive: true });
  const path = join(dir, folder, name);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

test("the first executable file on the PATH is found, folders and plain files are passed over", () => {
  mkdirSync(join(dir, "a", "tool"), { recursive: true });
  program("b", "tool", 0o644);
  const wanted = program("c", "tool");
  program("d", "tool");
  const path = ["a", "b", "c", "d"].map((folder) => join(dir, folder)).join(delimiter);
  expect(which("tool", path)).toBe(wanted);
  expect(which("other", path)).toBeUndefined();
});

test("relative PATH entries are not trusted", () => {
  expect(which("package.json", ["", ".", "src"].join(delimiter))).toBeUndefined();
});

test("a path with a slash is taken from the working folder, not from the PATH", () => {
  const wanted = program("bin", "tool");
  expect(findProgram("./tool", join(dir, "bin"), "")).toEqual({ ok: true, value: wanted });
  expect(findProgram("./tool", dir, join(dir, "bin"))).toMatchObject({
    problem: { code: "command-not-found" },
  });
});
