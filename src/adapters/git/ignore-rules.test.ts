import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anchor, flatten, rulesDigest } from "./ignore-rules.ts";

const PATHS = [
  "a",
  "b.log",
  "build/x",
  "d/a",
  "d/b.log",
  "d/build/x",
  "d/e/a",
  "d/e/c.log",
  "d/e/build/y",
  "d [1]*/a",
  "d [1]*/build/z",
];
const FOLDERS = ["", "d/", "d/e/", "d [1]*/"];
const PATTERN = fc.constantFrom(
  ..."a *.log build build/ /a /build e/ d/e e/a **/a d/** /* * !a !b.log !build/ !/a !e !*.log d/*/a [ab] a? \\!a #a".split(
    " ",
  ),
  "\\#a",
  "a ",
  "a\\ ",
  "",
);
const IGNORE_FILES = fc.dictionary(fc.constantFrom(...FOLDERS), fc.array(PATTERN, { maxLength: 4 }), {
  maxKeys: 4,
});

test("moved to one file, the rules of a repository ignore exactly what git ignores by the files in their folders", () => {
  const dir = mkdtempSync(join(tmpdir(), "loopwright-test-"));
  execFileSync("git", ["init", "-q", dir]);
  for (const path of PATHS) {
    mkdirSync(join(dir, dirname(path)), { recursive: true });
    writeFileSync(join(dir, path), "");
  }
  const list = (...args: readonly string[]): string =>
    execFileSync("git", ["ls-files", "-o", "-z", ...args], { cwd: dir, encoding: "utf8" });
  fc.assert(
    fc.property(IGNORE_FILES, (byFolder) => {
      for (const folder of FOLDERS) rmSync(join(dir, folder, ".gitignore"), { force: true });
      const files = FOLDERS.filter((folder) => byFolder[folder] !== undefined).map((folder) => ({
        path: `${folder}.gitignore`,
        text: (byFolder[folder] ?? []).join("\n"),
      }));
      for (const { path, text } of files) writeFileSync(join(dir, path), text);
      const flat = join(dir, ".git/flat");
      writeFileSync(flat, flatten({ repositories: [{ prefix: "", extra: "", forced: [] }], files }, []));
      expect(list(`--exclude-from=${flat}`)).toBe(list("--exclude-per-directory=.gitignore"));
    }),
    { numRuns: 60 },
  );
  rmSync(dir, { recursive: true });
});

test("patterns keep their meaning when they move up", () => {
  expect(
    ["*.log", "/a", "a/b", "build/", "!x", "!/x", "# comment", "", "\\#x"].map((line) => anchor(line, "d/")),
  ).toEqual(["/d/**/*.log", "/d/a", "/d/a/b", "/d/**/build/", "!/d/**/x", "!/d/x", "", "", "/d/**/#x"]);
});

test("the rules of a repository end where a nested one begins", () => {
  const text = flatten(
    {
      repositories: [
        { prefix: "", extra: "*.log", forced: [] },
        { prefix: "lib/", extra: "*.o", forced: [] },
      ],
      files: [],
    },
    [".loopwright/sessions"],
  );
  expect(text.split("\n")).toEqual([
    "*.log",
    "!/lib/",
    "!/lib/**",
    "/lib/**/*.o",
    "/.loopwright/sessions/",
    "",
  ]);
});

test("different rules have different names", () => {
  const one = { repositories: [{ prefix: "", extra: "", forced: [] }], files: [] };
  const other = { repositories: [{ prefix: "", extra: "", forced: ["a"] }], files: [] };
  expect(rulesDigest(one)).toBe(rulesDigest({ ...one }));
  expect(rulesDigest(one)).not.toBe(rulesDigest(other));
});
