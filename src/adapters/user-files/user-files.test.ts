import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createUserFiles } from "./index.ts";

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loopwright-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a file is written whole, into folders that are made, and leaves nothing beside it", async () => {
  const folder = aFolder();
  const files = createUserFiles(folder);
  await files.write("a/b/c.txt", "one");
  await files.write("a/b/c.txt", "two");
  expect(readFileSync(join(folder, "a/b/c.txt"), "utf8")).toBe("two");
  expect(readdirSync(join(folder, "a/b"))).toEqual(["c.txt"]);
});

test("a place that cannot be written is a problem, and nothing is left there", async () => {
  const folder = aFolder();
  const files = createUserFiles(folder);
  await files.write("file", "x");
  expect(await files.write("file/below", "x")).toMatchObject({ ok: false, problem: { code: "bad-input" } });
  await files.write("folder/inner", "x");
  expect(await files.write("folder", "x")).toMatchObject({ ok: false, problem: { code: "bad-input" } });
  expect(readdirSync(folder).sort()).toEqual(["file", "folder"]);
});

test("files below a folder are listed whole, without what links lead to, up to a number", async () => {
  const folder = aFolder();
  const files = createUserFiles(folder);
  for (const path of ["b/c/d.md", "b/a.md", "z.md"]) await files.write(path, "x");
  symlinkSync(folder, join(folder, "b/around"));
  expect(await files.below(".", 10)).toEqual(["b/a.md", "b/c/d.md", "z.md"]);
  expect(await files.below(".", 2)).toHaveLength(2);
  expect(await files.below("none", 10)).toEqual([]);
});

test("a file that is missing or too large is a problem", async () => {
  const files = createUserFiles(aFolder());
  await files.write("big", "12345");
  expect(await files.read("none", 10)).toMatchObject({ ok: false, problem: { code: "no-such-file" } });
  expect(await files.read("big", 4)).toMatchObject({ ok: false, problem: { code: "bad-input" } });
  expect(await files.read("big", 5)).toMatchObject({ ok: true });
  expect([await files.kind("big"), await files.kind("."), await files.kind("none")]).toEqual([
    "file",
    "folder",
    "none",
  ]);
  expect(await files.list(".", "g")).toEqual(["big"]);
});

test("the newest change below a folder counts, but not in what is skipped, nor behind links", async () => {
  const folder = aFolder();
  const files = createUserFiles(folder);
  for (const path of ["src/a/b.ts", "src/state/x", "apart/y"]) await files.write(path, "x");
  symlinkSync(join(folder, "apart"), join(folder, "src/link"));
  const at = (path: string, seconds: number) => utimesSync(join(folder, path), seconds, seconds);
  at("src/state/x", 5000);
  at("apart/y", 5000);
  at("src/a/b.ts", 3000);
  for (const path of ["src/a", "src/state", "src"]) at(path, 1000);
  expect(await files.changedAt("src", ["state"])).toBe(3_000_000);
  expect(await files.changedAt("src/a/b.ts", [])).toBe(3_000_000);
  expect(await files.changedAt("none", [])).toBe(0);
});
