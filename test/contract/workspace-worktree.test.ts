import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import { gitIn, inlineRepo } from "../../src/testing/inline-repo.ts";
import { aCheckout, benchOf, contentsOf, tempFolder } from "./workspace-fixture.ts";

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

test("a worktree whose making was cut off is made anew, and a whole one is left as it is", async () => {
  const { workspace, snapshot, files } = await aCheckout({ a: "1", b: "2" });
  const tree = await snapshot();
  const path = join(tempFolder(), "w");
  files.git("worktree", "add", "--detach", "--no-checkout", path, "HEAD");
  const made = must(await workspace.addWorktree(path, tree));
  expect(must(await workspace.snapshot(path))).toBe(tree);
  writeFileSync(join(path, "a"), "work");
  expect(must(await workspace.addWorktree(path, tree))).toEqual(made);
  expect(readFileSync(join(path, "a"), "utf8")).toBe("work");
});

test("removing a worktree can be repeated, also when its folder went but git still knows it", async () => {
  const { workspace, snapshot, files } = await aCheckout({ a: "1" });
  const worktree = must(await workspace.addWorktree(join(tempFolder(), "w"), await snapshot()));
  rmSync(worktree.path, { recursive: true });
  must(await workspace.removeWorktree(worktree.path));
  must(await workspace.removeWorktree(worktree.path));
  expect(files.git("worktree", "list").trim().split("\n")).toHaveLength(1);
});

test("worktrees can be added at the same time", async () => {
  const { workspace, snapshot, files } = await aCheckout({ a: "1" });
  const tree = await snapshot();
  const folder = tempFolder();
  const added = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) => workspace.addWorktree(join(folder, `w${n}`), tree)),
  );
  expect(added.map((one) => one.ok)).toEqual(added.map(() => true));
  expect(files.git("worktree", "list").trim().split("\n")).toHaveLength(7);
});
