import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { createCheckFiles } from "./index.ts";

const files = createCheckFiles();
let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "loopwright-files-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("what is written is read back, up to the cap, and only we may read it", async () => {
  const path = join(dir, "a/b/file");
  must(await files.write(path, "hello"));
  expect(new TextDecoder().decode(must(await files.read(path, 100)))).toBe("hello");
  expect(new TextDecoder().decode(must(await files.read(path, 2)))).toBe("he");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("an absent file is undefined, and removing it is no problem", async () => {
  expect(must(await files.read(join(dir, "no/file"), 10))).toBeUndefined();
  expect(await files.remove(join(dir, "no/file"))).toMatchObject({ ok: true });
});

test("a link, a folder or a pipe is never read as a report", async () => {
  writeFileSync(join(dir, "secret"), "x");
  symlinkSync(join(dir, "secret"), join(dir, "link"));
  mkdirSync(join(dir, "folder"));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  expect(await files.read(join(dir, "link"), 10)).toMatchObject({ ok: false });
  expect(must(await files.read(join(dir, "folder"), 10))).toBeUndefined();
  expect(must(await files.read(join(dir, "pipe"), 10))).toBeUndefined();
});

test("removing a link leaves what it points to", async () => {
  writeFileSync(join(dir, "kept"), "x");
  symlinkSync(join(dir, "kept"), join(dir, "link"));
  must(await files.remove(join(dir, "link")));
  expect(lstatSync(join(dir, "kept")).isFile()).toBe(true);
});
