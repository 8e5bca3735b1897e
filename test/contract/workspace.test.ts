import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import { aWorkspace, contentsOf, KINDS, provider, tempFolder } from "./workspace-fixture.ts";

describe.each(KINDS)("a workspace of kind %s", (kind) => {
  test("a tree holds files, executables, links and odd names as they are on disk", async () => {
    const { snapshot, holds } = await aWorkspace(kind, {
      "a.txt": "one\n",
      "run.sh": { executable: "#!/bin/sh\n" },
      link: { link: "../outside" },
      "sp ace/ü\n-é": "odd",
      "-dash": "dash",
      ".hidden/x": "h",
      "quote\"'\\$": "q",
    });
    expect(await holds(await snapshot())).toEqual({
      "a.txt": "one\n",
      "run.sh": "+#!/bin/sh\n",
      link: "-> ../outside",
      "sp ace/ü\n-é": "odd",
      "-dash": "dash",
      ".hidden/x": "h",
      "quote\"'\\$": "q",
    });
  });

  test("bytes are kept exactly, line ends and zero bytes included", async () => {
    const { snapshot, workspace } = await aWorkspace(kind, {
      "crlf.txt": "a\r\nb\r\n",
      "mixed.txt": "a\r\nb\n",
      "zero.bin": new Uint8Array([0, 255, 13, 10, 0]),
    });
    const dir = join(tempFolder(), "out");
    must(await workspace.materialise(await snapshot(), dir));
    expect(readFileSync(join(dir, "crlf.txt"), "utf8")).toBe("a\r\nb\r\n");
    expect(readFileSync(join(dir, "mixed.txt"), "utf8")).toBe("a\r\nb\n");
    expect([...readFileSync(join(dir, "zero.bin"))]).toEqual([0, 255, 13, 10, 0]);
  });

  test("an unchanged folder has the same tree, also for another process", async () => {
    const { snapshot, reopen } = await aWorkspace(kind, { a: "1", "b/c": "2" });
    const tree = await snapshot();
    expect(await snapshot()).toBe(tree);
    expect(must(await (await reopen()).snapshot())).toBe(tree);
  });

  test("a change that keeps size and time is seen", async () => {
    const { snapshot, files, holds } = await aWorkspace(kind, { a: "one", b: "two" });
    const old = new Date("2020-01-01T00:00:00Z");
    utimesSync(join(files.dir, "a"), old, old);
    const before = await snapshot();
    writeFileSync(join(files.dir, "a"), "eno");
    utimesSync(join(files.dir, "a"), old, old);
    const after = await snapshot();
    expect(after).not.toBe(before);
    expect((await holds(after))["a"]).toBe("eno");
  });

  test("a folder that was moved away and replaced by a link to it is seen", async () => {
    const { snapshot, files, holds } = await aWorkspace(kind, { "src/a": "1", b: "2" });
    await snapshot();
    const elsewhere = join(tempFolder(), "moved");
    renameSync(join(files.dir, "src"), elsewhere);
    symlinkSync(elsewhere, join(files.dir, "src"));
    expect(await holds(await snapshot())).toEqual({ src: `-> ${elsewhere}`, b: "2" });
  });

  test("differences name what was added, modified, deleted, and changed in mode or type", async () => {
    const { snapshot, files, workspace } = await aWorkspace(kind, {
      gone: "1",
      text: "1",
      mode: "1",
      type: "1",
      same: "1",
    });
    const before = await snapshot();
    files.remove("gone");
    files.write({ text: "2", "new/x": "1", type: { link: "text" } });
    chmodSync(join(files.dir, "mode"), 0o755);
    expect(must(await workspace.diff(before, await snapshot()))).toEqual([
      { path: "gone", kind: "deleted" },
      { path: "mode", kind: "mode" },
      { path: "new/x", kind: "added" },
      { path: "text", kind: "modified" },
      { path: "type", kind: "type" },
    ]);
  });

  test("a patch is a unified diff of the paths asked for", async () => {
    const { snapshot, files, workspace } = await aWorkspace(kind, { a: "one\n", b: "one\n" });
    const before = await snapshot();
    files.write({ a: "two\n", b: "two\n" });
    const patch = must(await workspace.patch(before, await snapshot(), ["a"]));
    expect(patch).toContain("diff --git a/a b/a\n");
    expect(patch).toContain("-one\n+two\n");
    expect(patch).not.toContain("b/b");
  });

  test("a file and a folder may take each other's place", async () => {
    const { snapshot, files, holds } = await aWorkspace(kind, { x: "file", "y/z": "in a folder" });
    await snapshot();
    files.remove("x");
    files.remove("y");
    files.write({ "x/z": "now a folder", y: "now a file" });
    expect(await holds(await snapshot())).toEqual({ "x/z": "now a folder", y: "now a file" });
  });

  test("pipes are left out, also where a file was", async () => {
    const { snapshot, files, holds } = await aWorkspace(kind, { a: "1", b: "2" });
    await snapshot();
    files.remove("b");
    execFileSync("mkfifo", [join(files.dir, "b"), join(files.dir, "pipe")]);
    expect(await holds(await snapshot())).toEqual({ a: "1" });
  });

  test("our session copies and folders named like git's own are never part of a tree", async () => {
    const { snapshot, files, holds } = await aWorkspace(kind, { a: "1" });
    files.write({ ".loopwright/sessions/001/x": "s", ".loopwright/config.toml": "c", ".GIT/x": "g" });
    expect(await holds(await snapshot())).toEqual({ a: "1", ".loopwright/config.toml": "c" });
  });

  test("a composed tree restores, omits and replaces in this order", async () => {
    const { snapshot, files, workspace, holds } = await aWorkspace(kind, {
      "t/a": "base",
      "t/gone": "base",
      run: { executable: "base" },
      src: "base",
    });
    const base = await snapshot();
    files.remove("t/gone");
    files.write({ "t/a": "new", "t/added": "new", src: "new", run: { executable: "new" } });
    const found = await snapshot();
    const made = must(
      await workspace.compose(found, {
        restore: { from: base, paths: ["t", "t/never"] },
        omit: ["t/gone"],
        replace: [{ path: "run", bytes: Buffer.from("replaced") }],
      }),
    );
    expect(await holds(made)).toEqual({ "t/a": "base", src: "new", run: "+replaced" });
  });

  test("a restored file replaces a link that stands for its folder", async () => {
    const { snapshot, files, workspace, holds } = await aWorkspace(kind, { "t/a": "base" });
    const base = await snapshot();
    files.remove("t");
    files.write({ t: { link: "/etc" } });
    const found = await snapshot();
    const made = must(
      await workspace.compose(found, { restore: { from: base, paths: ["t/a"] }, omit: [], replace: [] }),
    );
    expect(await holds(made)).toEqual({ "t/a": "base" });
    expect(must(await workspace.update(files.dir, found, made))).toEqual([]);
    expect(await snapshot()).toBe(base);
    expect(existsSync("/etc/a")).toBe(false);
  });

  test("reading what a tree does not hold gives nothing", async () => {
    const { snapshot, workspace } = await aWorkspace(kind, { "a/b": "1" });
    const tree = await snapshot();
    expect(must(await workspace.read(tree, "a"))).toBeUndefined();
    expect(must(await workspace.read(tree, "nope"))).toBeUndefined();
  });

  test("a materialised tree is not written over what is there", async () => {
    const { snapshot, workspace, files } = await aWorkspace(kind, { a: "1" });
    expect(await workspace.materialise(await snapshot(), files.dir)).toMatchObject({
      ok: false,
      problem: { code: "bad-input" },
    });
  });

  test("verifying finds changed, missing and, when strict, added files", async () => {
    const { snapshot, workspace } = await aWorkspace(kind, { a: "1", b: "1", "c/d": "1" });
    const tree = await snapshot();
    const dir = join(tempFolder(), "out");
    must(await workspace.materialise(tree, dir));
    expect(must(await workspace.verify(tree, dir, true))).toEqual([]);
    writeFileSync(join(dir, "a"), "2");
    renameSync(join(dir, "b"), join(dir, "e"));
    expect(must(await workspace.verify(tree, dir, false))).toEqual([
      { path: "a", kind: "modified" },
      { path: "b", kind: "deleted" },
    ]);
    expect(must(await workspace.verify(tree, dir, true))).toHaveLength(3);
  });

  test("verifying does not look through a link that took a folder's place", async () => {
    const { snapshot, workspace } = await aWorkspace(kind, { "c/d": "1" });
    const tree = await snapshot();
    const dir = join(tempFolder(), "out");
    must(await workspace.materialise(tree, dir));
    renameSync(join(dir, "c"), join(dir, "moved"));
    symlinkSync("moved", join(dir, "c"));
    expect(must(await workspace.verify(tree, dir, false))).toEqual([{ path: "c/d", kind: "deleted" }]);
  });

  test("an update leaves and returns files that the user changed meanwhile", async () => {
    const { snapshot, files, workspace } = await aWorkspace(kind, { a: "1", b: "1", c: "1" });
    const from = await snapshot();
    files.write({ a: "2", b: "2", "d/e": "2" });
    files.remove("c");
    const to = await snapshot();
    must(await workspace.update(files.dir, to, from));
    files.write({ b: "mine", c: "mine" });
    expect(must(await workspace.update(files.dir, from, to))).toEqual(["b", "c"]);
    expect(await contentsOf(workspace, await snapshot())).toEqual({
      a: "2",
      b: "mine",
      c: "mine",
      "d/e": "2",
    });
  });

  test("an update never writes through a link to a folder outside", async () => {
    const { snapshot, files, workspace } = await aWorkspace(kind, { "p/a": "1", b: "1" });
    const from = await snapshot();
    files.write({ "p/a": "2", "p/new": "2" });
    const to = await snapshot();
    must(await workspace.update(files.dir, to, from));
    const outside = tempFolder();
    writeFileSync(join(outside, "a"), "1");
    files.remove("p");
    symlinkSync(outside, join(files.dir, "p"));
    expect(must(await workspace.update(files.dir, from, to))).toEqual(["p/a", "p/new"]);
    expect(readFileSync(join(outside, "a"), "utf8")).toBe("1");
    expect(existsSync(join(outside, "new"))).toBe(false);
    expect(readlinkSync(join(files.dir, "p"))).toBe(outside);
  });

  test("a tree outlives the files it was taken from", async () => {
    const { snapshot, files, workspace, holds } = await aWorkspace(kind, { a: "1", "b/c": "2" });
    const tree = await snapshot();
    files.remove(".git/objects");
    files.remove("a");
    files.remove("b");
    expect(await holds(tree)).toEqual({ a: "1", "b/c": "2" });
    const dir = join(tempFolder(), "out");
    expect(must(await workspace.materialise(tree, dir))).toBeUndefined();
  });

  test("an empty folder has a tree, and it can be written again", async () => {
    const { snapshot, files, workspace, holds } = await aWorkspace(kind, { a: "1" });
    files.remove("a");
    mkdirSync(join(files.dir, "empty"));
    const tree = await snapshot();
    expect(await holds(tree)).toEqual({});
    expect(await snapshot()).toBe(tree);
    must(await workspace.materialise(tree, join(tempFolder(), "out")));
  });

  test("merging work into an untouched root brings new, changed and deleted files", async () => {
    const { snapshot, files, workspace, holds } = await aWorkspace(kind, { a: "1\n", gone: "1\n" });
    const base = await snapshot();
    files.write({ a: "2\n", "new/x": "1\n" });
    files.remove("gone");
    const found = await snapshot();
    must(await workspace.update(files.dir, found, base));
    expect(must(await workspace.integrate(base, found))).toMatchObject({ kind: "applied" });
    expect(await holds(await snapshot())).toEqual({ a: "2\n", "new/x": "1\n" });
    expect(must(await workspace.integrate(base, found))).toEqual({ kind: "nothing" });
  });

  test("merging keeps both sides' changes of one text", async () => {
    const lines = (first: string, last: string): string => `${first}\n2\n3\n4\n5\n6\n7\n${last}\n`;
    const { snapshot, files, workspace, holds } = await aWorkspace(kind, { a: lines("1", "8") });
    const base = await snapshot();
    files.write({ a: lines("1", "theirs") });
    const found = await snapshot();
    files.write({ a: lines("mine", "8"), b: "mine" });
    expect(must(await workspace.integrate(base, found))).toEqual({
      kind: "applied",
      paths: [{ path: "a", kind: "modified" }],
    });
    expect(await holds(await snapshot())).toEqual({ a: lines("mine", "theirs"), b: "mine" });
  });

  test("a conflict changes nothing at all and keeps the work", async () => {
    const { snapshot, files, workspace, holds } = await aWorkspace(kind, { a: "1\n", b: "1\n", c: "1\n" });
    const base = await snapshot();
    files.write({ a: "theirs\n", b: "theirs\n", "d/e": "theirs\n" });
    files.remove("c");
    const found = await snapshot();
    must(await workspace.update(files.dir, found, base));
    files.write({ a: "mine\n", c: "mine\n", d: "a file\n" });
    expect(must(await workspace.integrate(base, found))).toEqual({
      kind: "conflict",
      paths: ["a", "c", "d/e"],
      kept: found,
    });
    expect(await holds(await snapshot())).toEqual({ a: "mine\n", b: "1\n", c: "mine\n", d: "a file\n" });
  });
});

test("a folder that is not there is a problem and not an exception", async () => {
  expect(await provider.open("/nonexistent/folder", tempFolder())).toMatchObject({
    ok: false,
    problem: { code: "no-such-folder" },
  });
});

test("a plain folder's tree holds everything but caches of tools", async () => {
  const { snapshot, holds, workspace } = await aWorkspace("folder", {
    "out/report.md": "deliverable",
    "node_modules/x/index.js": "dependency",
    "pkg/__pycache__/a.pyc": "cache",
  });
  expect(await holds(await snapshot())).toEqual({ "out/report.md": "deliverable" });
  expect(must(await workspace.ignored())).toEqual(["node_modules/", "pkg/__pycache__/"]);
});

test("a plain folder has no commits, branches or worktrees", async () => {
  const { workspace, snapshot } = await aWorkspace("folder", { a: "1" });
  const answers = [
    await workspace.commit(["a"], "m"),
    await workspace.branch("b", await snapshot(), "m"),
    await workspace.addWorktree(join(tempFolder(), "w"), await snapshot()),
  ];
  expect(answers.map((answer) => (answer.ok ? "ok" : answer.problem.code))).toEqual(
    Array(3).fill("not-a-repository"),
  );
});
