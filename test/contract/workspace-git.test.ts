import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { must } from "../../src/core/result.ts";
import { gitIn, inlineFolder, inlineRepo } from "../../src/testing/inline-repo.ts";
import {
  aCheckout,
  benchOf,
  contentsOf,
  provider,
  stateOf,
  tempFolder,
  withSubmodule,
} from "./workspace-fixture.ts";

test("staged, unstaged and untracked work is in the tree, ignored files are not", async () => {
  const { files, snapshot, holds } = await aCheckout({ a: "1", b: "1", c: "1", ".gitignore": "*.log\n" });
  files.write({ a: "staged", "x.log": "no" });
  files.git("add", "a");
  files.write({ b: "unstaged", "d/new": "untracked" });
  files.git("rm", "-q", "c");
  expect(await holds(await snapshot())).toEqual({
    a: "staged",
    b: "unstaged",
    "d/new": "untracked",
    ".gitignore": "*.log\n",
  });
});

test("taking trees leaves index, refs and configuration of the user as they were", async () => {
  const { files, snapshot, workspace } = await aCheckout({ a: "1", b: "1" });
  files.write({ a: "2" });
  files.git("add", "a");
  files.write({ b: "2", c: "new" });
  const before = stateOf(files);
  const tree = await snapshot();
  must(await workspace.ignored());
  must(await workspace.materialise(tree, join(tempFolder(), "m")));
  must(await workspace.facts());
  expect(stateOf(files)).toEqual(before);
});

test("a repository without commits, and one with a detached head, have trees and facts", async () => {
  const empty = inlineRepo();
  empty.write({ a: "1" });
  const first = await benchOf(empty);
  expect(await first.holds(await first.snapshot())).toEqual({ a: "1" });
  expect(must(await first.workspace.facts())).toMatchObject({ head: null, branch: "main" });

  const detached = await aCheckout({ a: "1" });
  detached.files.git("checkout", "-q", "--detach");
  const head = detached.files.git("rev-parse", "HEAD").trim();
  expect(must(await detached.workspace.facts())).toMatchObject({ head, branch: null });
});

test("a worktree of the user is a checkout of its own", async () => {
  const main = inlineRepo({ a: "1" });
  const dir = join(tempFolder(), "w");
  main.git("worktree", "add", "-q", "-b", "side", dir);
  const bench = await benchOf({ ...inlineFolder(), dir });
  expect(bench.workspace.root).toBe(dir);
  writeFileSync(join(dir, "b"), "2");
  expect(await bench.holds(await bench.snapshot())).toEqual({ a: "1", b: "2" });
  expect(must(await bench.workspace.facts())).toMatchObject({ branch: "side" });
  main.dispose();
});

test("the top level is found from below, and a folder without git is its own", async () => {
  const { files } = await aCheckout({ "a/b/c": "1" });
  expect(must(await provider.topLevel(join(files.dir, "a/b")))).toEqual({ path: files.dir, kind: "git" });
  const plain = tempFolder();
  expect(must(await provider.topLevel(plain))).toEqual({ path: plain, kind: "folder" });
});

test("a repository that hashes with SHA-256 has trees", async () => {
  const folder = inlineFolder({ "dist/a": "tracked", ".gitignore": "dist/\n" });
  gitIn(folder.dir, "init", "-q", "--object-format=sha256");
  gitIn(folder.dir, "add", "-f", "dist/a");
  const { snapshot, holds } = await benchOf(folder);
  expect(await holds(await snapshot())).toEqual({ "dist/a": "tracked", ".gitignore": "dist/\n" });
});

test("a split index is read like any other", async () => {
  const repo = inlineRepo({ "dist/a": "1", b: "1" });
  repo.write({ ".gitignore": "dist/\n" });
  repo.git("update-index", "--split-index");
  const { snapshot, holds } = await benchOf(repo);
  expect(Object.keys(await holds(await snapshot()))).toEqual([".gitignore", "b", "dist/a"]);
});

test("submodules are part of the tree by their own ignore rules, and are populated in checkouts", async () => {
  const { snapshot, holds, workspace } = await benchOf(withSubmodule());
  const tree = await snapshot();
  const found = await holds(tree);
  expect(found).toMatchObject({
    "main.c": "main",
    "lib/lib.c": "library",
    "lib/new.c": "new",
    "lib/kept.log": "log",
  });
  expect(found["lib/x.o"]).toBeUndefined();
  expect(found["x.log"]).toBeUndefined();
  const dir = join(tempFolder(), "m");
  must(await workspace.materialise(tree, dir));
  expect(readFileSync(join(dir, "lib/lib.c"), "utf8")).toBe("library");
});

test("nested repositories are part of the tree, however deep and with or without commits", async () => {
  const repo = inlineRepo({ a: "1" });
  for (const [dir, files] of [
    ["one", { x: "1" }],
    ["one/two", { y: "2" }],
    ["one/two/three", { z: "3" }],
  ] as const) {
    mkdirSync(join(repo.dir, dir), { recursive: true });
    gitIn(join(repo.dir, dir), "init", "-q");
    for (const [name, text] of Object.entries(files)) writeFileSync(join(repo.dir, dir, name), text);
  }
  mkdirSync(join(repo.dir, "empty"));
  gitIn(join(repo.dir, "empty"), "init", "-q");
  const { snapshot, holds, workspace } = await benchOf(repo);
  const tree = await snapshot();
  expect(await holds(tree)).toEqual({ a: "1", "one/x": "1", "one/two/y": "2", "one/two/three/z": "3" });
  expect(await snapshot()).toBe(tree);
  expect(workspace.skipped).toEqual([]);
});

test("caches that ignore themselves stay out of the tree", async () => {
  const repo = inlineRepo({ a: "1" });
  repo.write({
    ".venv/.gitignore": "*\n",
    ".venv/lib/x.py": "x",
    "b/.cache/.gitignore": "*\n",
    "b/.cache/y": "y",
  });
  const { snapshot, holds, workspace } = await benchOf(repo);
  expect(await holds(await snapshot())).toEqual({ a: "1" });
  expect(must(await workspace.ignored())).toEqual([".venv/", "b/.cache/"]);
});

test("the user's global excludes and info/exclude of the start apply", async () => {
  const home = tempFolder();
  const excludes = join(home, "my excludes");
  writeFileSync(excludes, "*.swp\n");
  writeFileSync(join(home, ".gitconfig"), `[core]\n\texcludesFile = ${excludes}\n`);
  const repo = inlineRepo({ a: "1" });
  repo.write({ ".git/info/exclude": "private/\n", "private/x": "1", "a.swp": "1" });
  const { snapshot, holds } = await benchOf(repo, { PATH: process.env["PATH"], HOME: home });
  expect(await holds(await snapshot())).toEqual({ a: "1" });
});

test("our own store is never part of the tree, even inside the checkout", async () => {
  const repo = inlineRepo({ a: "1" });
  onTestFinished(() => repo.dispose());
  const workspace = must(await provider.open(repo.dir, join(repo.dir, "home/store")));
  const tree = must(await workspace.snapshot());
  expect(await contentsOf(workspace, tree)).toEqual({ a: "1" });
  expect(must(await workspace.snapshot())).toBe(tree);
});

test("facts show changes of refs, configuration, info and hooks, each on its own", async () => {
  const { files, workspace } = await aCheckout({ a: "1" });
  const differing = async (change: () => void): Promise<string[]> => {
    const before: Record<string, unknown> = { ...must(await workspace.facts()) };
    change();
    const after: Record<string, unknown> = { ...must(await workspace.facts()) };
    return Object.keys(after).filter((key) => after[key] !== before[key]);
  };
  expect(await differing(() => undefined)).toEqual([]);
  expect(await differing(() => files.git("branch", "x"))).toEqual(["refs"]);
  expect(await differing(() => files.git("pack-refs", "--all"))).toEqual(["refs"]);
  expect(await differing(() => files.git("config", "a.b", "c"))).toEqual(["config"]);
  expect(await differing(() => files.git("config", "include.path", "more"))).toEqual(["config"]);
  expect(await differing(() => files.write({ ".git/more": "[a]\nb = d\n" }))).toEqual(["config"]);
  expect(await differing(() => files.write({ ".git/config.worktree": "[a]\nb = d\n" }))).toEqual(["config"]);
  expect(await differing(() => files.write({ ".git/info/grafts": "x\n" }))).toEqual(["info"]);
  expect(await differing(() => files.write({ ".git/hooks/pre-commit": "x\n" }))).toEqual(["hooks"]);
  expect(await differing(() => files.git("commit", "-q", "--allow-empty", "-m", "x"))).toEqual([
    "head",
    "refs",
  ]);
});

test("what cannot be read is skipped with a reason, and never taken for unchanged", async () => {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.("nobody");
  try {
    const repo = inlineRepo({ a: "1", "closed/b": "1", c: "1" });
    const { workspace, snapshot, holds } = await benchOf(repo, {
      PATH: process.env["PATH"],
      HOME: tempFolder(),
    });
    await snapshot();
    repo.write({ c: "2", "closed/b": "2" });
    chmodSync(join(repo.dir, "c"), 0);
    chmodSync(join(repo.dir, "closed"), 0);
    expect(await holds(await snapshot())).toEqual({ a: "1" });
    expect(workspace.skipped).toEqual([
      { path: "closed/b", why: "its folder cannot be read" },
      { path: "c", why: "the file cannot be read" },
    ]);
    chmodSync(join(repo.dir, "closed"), 0o755);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test("many files are stored in one pack, synced as a whole", async () => {
  const files: Record<string, string> = {};
  for (let at = 0; at < 300; at += 1) files[`f${at}`] = `${at}\n`;
  const { snapshot, workspace, store } = await aCheckout(files);
  const tree = await snapshot();
  expect(must(await workspace.list(tree))).toHaveLength(300);
  expect(must(await workspace.verify(tree, workspace.root, true))).toEqual([]);
  const objects = execFileSync("find", [join(store, "git/objects"), "-type", "f"], { encoding: "utf8" });
  const version = execFileSync("git", ["version"], { encoding: "utf8" });
  if (/ 2\.(3[0-6])\b/.test(version)) return;
  expect(objects.trim().split("\n").length).toBeLessThan(20);
});

test("an index of ours that a crash left torn is made anew", async () => {
  const bench = await aCheckout({ a: "1", b: "1" });
  const tree = await bench.snapshot();
  for (const name of readdirSync(join(bench.store, "index"))) {
    if (!name.endsWith(".json")) writeFileSync(join(bench.store, "index", name), "torn");
  }
  const later = await bench.reopen(bench.workspace.rules);
  expect(must(await later.snapshot())).toBe(tree);
});

test("a name that is not UTF-8 is skipped with a reason", async (context) => {
  const { files, workspace, snapshot, holds } = await aCheckout({ a: "1" });
  try {
    writeFileSync(Buffer.concat([Buffer.from(`${files.dir}/x`), Buffer.from([0xff])]), "1");
  } catch {
    return context.skip("this file system takes UTF-8 names only");
  }
  expect(await holds(await snapshot())).toEqual({ a: "1" });
  expect(workspace.skipped).toEqual([{ path: "x\uFFFD", why: "the name is not UTF-8" }]);
});
