import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { inlineFolder } from "../../testing/inline-repo.ts";
import { createSessionFiles } from "./index.ts";

const folders: { dispose(): void }[] = [];
afterEach(() => folders.splice(0).forEach((folder) => void folder.dispose()));

function folder(files = {}) {
  const made = inlineFolder(files);
  folders.push(made);
  return made;
}

test("readable copies land in the repository and ignore themselves", async () => {
  const repo = folder();
  const files = createSessionFiles(folder().dir);
  expect(await files.writeEvidence(repo.dir, "001_x/README.md", "hello")).toEqual({
    ok: true,
    value: undefined,
  });
  const root = join(repo.dir, ".loopwright", "sessions");
  expect(readFileSync(join(root, ".gitignore"), "utf8")).toBe("*\n");
  expect(readFileSync(join(root, "001_x/README.md"), "utf8")).toBe("hello");
});

test("a link that an agent laid where the copies go is not followed", async () => {
  const elsewhere = folder();
  const repo = folder();
  mkdirSync(join(repo.dir, ".loopwright"));
  symlinkSync(elsewhere.dir, join(repo.dir, ".loopwright", "sessions"));
  const files = createSessionFiles(folder().dir);
  expect((await files.writeEvidence(repo.dir, "001_x/README.md", "hello")).ok).toBe(false);
  expect(existsSync(join(elsewhere.dir, ".gitignore"))).toBe(false);
});

test("a link in place of a copy is not written through", async () => {
  const elsewhere = folder({ "target.txt": "mine" });
  const repo = folder();
  const files = createSessionFiles(folder().dir);
  await files.writeEvidence(repo.dir, "001_x/README.md", "first");
  symlinkSync(join(elsewhere.dir, "target.txt"), join(repo.dir, ".loopwright/sessions/001_x/run.ocp.json"));
  expect((await files.writeEvidence(repo.dir, "001_x/run.ocp.json", "{}")).ok).toBe(false);
  expect(readFileSync(join(elsewhere.dir, "target.txt"), "utf8")).toBe("mine");
});

test("the seal of a trace changes with any byte of it", async () => {
  const trace = folder({ stdout: "a", stderr: "" });
  const files = createSessionFiles(folder().dir);
  const first = await files.seal(trace.dir);
  expect(await files.seal(trace.dir)).toEqual(first);
  trace.write({ stdout: "b" });
  expect(await files.seal(trace.dir)).not.toEqual(first);
});
