import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCommitHistory } from "./index.ts";

test("a folder without a repository, one that is missing, and a file in its place have nothing to say", async () => {
  const dir = mkdtempSync(join(tmpdir(), "loopwright-history-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "file"), "");
  const history = createCommitHistory({ PATH: process.env["PATH"], HOME: dir });
  for (const folder of [dir, join(dir, "none"), join(dir, "file")]) {
    expect(await history.head(folder)).toBeUndefined();
    expect(await history.parents(folder, "0123456789abcdef")).toEqual([]);
    expect(await history.commits(folder, {})).toEqual([]);
  }
  expect(await history.repoName(join(dir, "file"))).toBe("file");
});
