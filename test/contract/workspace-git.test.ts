import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { must } from "../../src/core/result.ts";
import { gitIn, type InlineRepo, inlineFolder, inlineRepo } from "../../src/testing/inline-repo.ts";
import { aCheckout, benchOf, contentsOf, provider, tempFolder } from "./workspace-fixture.ts";

/** A repository with a submodule at `lib`, which has uncommitted work. */
function withSubmodule(): InlineRepo {
  const library = inlineRepo({ "lib.c": "library", ".gitignore": "*.o\n" });
  onTestFinished(() => library.dispose());
  const repo = inlineRepo({ "main.c": "main", ".gitignore": "*.log\n" });
  repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library.dir, "lib");
  repo.commit("Add the library");
  repo.write({ "lib/new.c": "new", "lib/x.o": "object", "lib/kept.log": "log", "x.log": "log" });
  return repo;
}

/** What git says about the repository's own state: index, stash, branches, configuration. */
function stateOf(repo: InlineRepo): readonly string[] {
  return [
    repo.git("ls-files", "-s", "-v"),
    repo.git("for-each-ref"),
    repo.git("config", "--list"),
    readFileSync(join(repo.dir, ".git/index")).toString("base64"),
  ];
}

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

test("a worktree holds exactly the tree, uncommitted work included, and git works in it", async () => {
  const { files, snapshot, workspace } = await aCheckout({ a: "1", gone: "1" });
  files.write({ a: "dirty", "new/x": "untracked" });
  files.remove("gone");
  const tree = await snapshot();
  const worktree = must(await workspace.addWorktree(join(tempFolder(), "w"), tree));
  expect(must(await workspace.snapshot(worktree.path))).toBe(tree);
  expect(gitIn(worktree.path, "status", "--porcelain")).toBe(" M a\n D gone\n?? new/\n");
  expect(gitIn(worktree.path, "rev-parse", "--abbrev-ref", "HEAD").trim()).toBe("HEAD");
});

test("a worktree needs a commit", async () => {
  const repo = inlineRepo();
  repo.write({ a: "1" });
  const { workspace, snapshot } = await benchOf(repo);
  expect(await workspace.addWorktree(join(tempFolder(), "w"), await snapshot())).toMatchObject({
    ok: false,
    problem: { code: "no-commits" },
  });
});

test("work of a worktree comes back with what the agent committed, deleted and left untracked", async () => {
  const { files, snapshot, workspace, holds } = await aCheckout({ a: "1", b: "1", gone: "1" });
  const base = await snapshot();
  const worktree = must(await workspace.addWorktree(join(tempFolder(), "w"), base));
  writeFileSync(join(worktree.path, "a"), "committed");
  gitIn(worktree.path, "rm", "-q", "gone");
  gitIn(worktree.path, "commit", "-q", "-a", "-m", "work");
  writeFileSync(join(worktree.path, "new"), "untracked");
  files.write({ b: "mine" });
  const found = must(await workspace.snapshot(worktree.path));
  expect(must(await workspace.integrate(worktree.base, found))).toMatchObject({ kind: "applied" });
  expect(await holds(await snapshot())).toEqual({ a: "committed", b: "mine", new: "untracked" });
  must(await workspace.removeWorktree(worktree.path));
  expect(existsSync(worktree.path)).toBe(false);
  expect(files.git("worktree", "list", "--porcelain")).not.toContain(worktree.path);
});

test("a worktree with work that was not taken is not removed", async () => {
  const { snapshot, workspace } = await aCheckout({ a: "1" });
  const worktree = must(await workspace.addWorktree(join(tempFolder(), "w"), await snapshot()));
  writeFileSync(join(worktree.path, "a"), "work");
  expect(await workspace.removeWorktree(worktree.path)).toMatchObject({
    ok: false,
    problem: { code: "work-conflict" },
  });
  expect(readFileSync(join(worktree.path, "a"), "utf8")).toBe("work");
});

test("an untouched worktree is removed by another process", async () => {
  const bench = await aCheckout({ a: "1" });
  const worktree = must(await bench.workspace.addWorktree(join(tempFolder(), "w"), await bench.snapshot()));
  const later = await bench.reopen(bench.workspace.rules);
  must(await later.removeWorktree(worktree.path));
  expect(existsSync(worktree.path)).toBe(false);
});

test("ignored files of a removed worktree are kept in the store, caches are not", async () => {
  const { snapshot, workspace, store } = await aCheckout({
    a: "1",
    ".gitignore": "out/\n.env\nnode_modules/\n",
  });
  const worktree = must(await workspace.addWorktree(join(tempFolder(), "w"), await snapshot()));
  const write = (path: string, text: string): void => {
    mkdirSync(join(worktree.path, path, ".."), { recursive: true });
    writeFileSync(join(worktree.path, path), text);
  };
  write("out/report.md", "deliverable");
  write(".env", "SECRET=1");
  write("node_modules/x/index.js", "x");
  must(await workspace.removeWorktree(worktree.path));
  const [name = ""] = execFileSync("ls", [join(store, "kept")], { encoding: "utf8" }).split("\n");
  const kept = JSON.parse(readFileSync(join(store, "kept", name), "utf8"));
  expect(kept.path).toBe(worktree.path);
  expect(await contentsOf(workspace, kept.ignored)).toEqual({
    "out/report.md": "deliverable",
    ".env": "SECRET=1",
  });
});

test("only worktrees of this repository are removed", async () => {
  const { workspace } = await aCheckout({ a: "1" });
  const other = tempFolder();
  expect(await workspace.removeWorktree(other)).toMatchObject({ ok: false, problem: { code: "bad-input" } });
  expect(existsSync(other)).toBe(true);
});

test("a commit takes exactly its paths and leaves everything else staged as it was", async () => {
  const { files, workspace } = await aCheckout({ a: "1", b: "1", c: "1", gone: "1" });
  files.write({ a: "2", b: "staged", c: "unstaged", "new/x": "1" });
  files.git("add", "b");
  files.remove("gone");
  const { commit } = must(await workspace.commit(["a", "gone", "new/x"], "Change three\n\nWhy not"));
  expect(files.git("rev-parse", "HEAD").trim()).toBe(commit);
  expect(files.git("rev-parse", "--abbrev-ref", "HEAD").trim()).toBe("main");
  expect(files.git("show", "--format=%an <%ae>%n%B", "--name-status", "--no-renames", "HEAD")).toBe(
    "Ada <ada@example.org>\nChange three\n\nWhy not\n\n\nM\ta\nD\tgone\nA\tnew/x\n",
  );
  expect(files.git("status", "--porcelain")).toBe("M  b\n M c\n");
  expect(files.git("diff-files", "--name-only")).toBe("c\n");
});

test("a commit follows the line-end rules of the repository", async () => {
  const { files, workspace } = await aCheckout({ ".gitattributes": "* text=auto\n", a: "1\n" });
  files.write({ a: "1\r\n2\r\n" });
  must(await workspace.commit(["a"], "Change a"));
  expect(files.git("cat-file", "blob", "HEAD:a")).toBe("1\n2\n");
  expect(files.git("status", "--porcelain")).toBe("");
});

test("a commit without a change, or of a file that needs a filter program, is refused", async () => {
  const { files, workspace } = await aCheckout({ a: "1", "x.big": "1" });
  expect(await workspace.commit(["a"], "Nothing")).toMatchObject({
    ok: false,
    problem: { code: "bad-input" },
  });
  files.git("config", "filter.lfs.clean", "git-lfs clean");
  files.write({ ".gitattributes": "*.big filter=lfs\n", "x.big": "2" });
  expect(await workspace.commit(["x.big"], "Big")).toMatchObject({
    ok: false,
    problem: { code: "git-failed" },
  });
});

test("the first commit of a repository can be made", async () => {
  const repo = inlineRepo();
  repo.write({ a: "1", b: "2" });
  const { workspace } = await benchOf(repo);
  must(await workspace.commit(["a"], "Begin"));
  expect(repo.git("ls-tree", "--name-only", "HEAD")).toBe("a\n");
});

test("a branch holds the tree, and checkout, index and head stay as they were", async () => {
  const { files, workspace, snapshot } = await aCheckout({ a: "1", b: "1", gone: "1" });
  files.write({ a: "2", "run.sh": { executable: "x" }, link: { link: "a" } });
  files.git("add", "a");
  files.remove("gone");
  const before = stateOf(files).filter((_, at) => at !== 1);
  const { commit } = must(await workspace.branch("work/one", await snapshot(), "Work"));
  expect(files.git("rev-parse", "work/one").trim()).toBe(commit);
  expect(files.git("rev-parse", "work/one^").trim()).toBe(files.git("rev-parse", "HEAD").trim());
  expect(files.git("ls-tree", "-r", "--format=%(objectmode) %(path)", "work/one")).toBe(
    "100644 a\n100644 b\n120000 link\n100755 run.sh\n",
  );
  expect(stateOf(files).filter((_, at) => at !== 1)).toEqual(before);
});

test("an existing branch and an impossible name are refused", async () => {
  const { files, workspace, snapshot } = await aCheckout({ a: "1" });
  files.git("branch", "taken");
  files.write({ a: "2" });
  const tree = await snapshot();
  for (const name of ["taken", "a..b", "-x"]) {
    expect(await workspace.branch(name, tree, "Work")).toMatchObject({
      ok: false,
      problem: { code: "bad-input" },
    });
  }
});

test("a branch keeps submodules at their commits and LFS pointers as they are", async () => {
  const repo = withSubmodule();
  const content = "large content";
  const digest = execFileSync("sha256sum", { input: content, encoding: "utf8" }).slice(0, 64);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${digest}\nsize ${content.length}\n`;
  repo.write({ "x.big": pointer });
  repo.commit("Point");
  repo.git("config", "filter.lfs.clean", "false");
  repo.write({ ".gitattributes": "*.big filter=lfs\n", "x.big": content, "main.c": "changed" });
  const { workspace, snapshot, holds } = await benchOf(repo);
  const tree = await snapshot();
  expect((await holds(tree))["x.big"]).toBe(content);
  must(await workspace.branch("work", tree, "Work"));
  expect(repo.git("diff", "--name-only", "main", "work")).toBe(".gitattributes\nmain.c\n");
});

test("files that a sparse checkout keeps off the disk are not deleted on a branch", async () => {
  const { files, workspace, snapshot } = await aCheckout({ "in/a": "1", "out/b": "1" });
  files.git("sparse-checkout", "set", "in");
  files.write({ "in/a": "2" });
  must(await workspace.branch("work", await snapshot(), "Work"));
  expect(files.git("diff", "--name-only", "main", "work")).toBe("in/a\n");
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
