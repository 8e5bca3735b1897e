import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import type { Workspace } from "../../src/ports/workspace.ts";
import { inlineFolder } from "../../src/testing/inline-repo.ts";
import { aCheckout, aWorkspace, benchOf, provider, tempFolder, withSubmodule } from "./workspace-fixture.ts";

/** Git as a check meets it: no configuration of anybody. */
function gitIn(dir: string, ...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"], HOME: dir, GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  return execFileSync("git", [...identity, ...args], { cwd: dir, encoding: "utf8", env, stdio: "pipe" });
}

/** A folder with the tree that is there now, made a repository with the history of before. */
async function copyOf(workspace: Workspace, history: string): Promise<string> {
  const dir = join(tempFolder(), "copy");
  must(await workspace.materialise(must(await workspace.snapshot()), dir));
  must(await workspace.addHistory(dir, history));
  return dir;
}

async function historyOf(workspace: Workspace): Promise<string> {
  return must(await workspace.history()) ?? "";
}

test("a copy has the commits, names and branch of the repository, and shows the same changes", async () => {
  const { files, workspace } = await aCheckout({ "a.txt": "a\n", "b.txt": "b\n" });
  files.git("tag", "v1.2");
  files.git("commit", "-q", "--allow-empty", "-m", "second");
  files.write({ "a.txt": "changed\n", "new.txt": "new\n" });
  const dir = await copyOf(workspace, await historyOf(workspace));
  for (const question of [
    ["status", "--porcelain"],
    ["log", "--format=%H %s"],
    ["describe", "--tags"],
    ["rev-parse", "--abbrev-ref", "HEAD"],
    ["for-each-ref"],
    ["ls-files"],
    ["diff"],
  ])
    expect(gitIn(dir, ...question), question.join(" ")).toBe(files.git(...question));
  // Without looking at what has the size and time of the index.
  expect(gitIn(dir, "diff-files", "--name-only")).toBe("a.txt\n");
});

test("the history is that of the moment it was asked for", async () => {
  const { files, workspace } = await aCheckout({ "a.txt": "a\n" });
  const history = await historyOf(workspace);
  const before = files.git("rev-parse", "HEAD");
  files.write({ "a.txt": "changed\n" });
  files.git("commit", "-qam", "later");
  files.git("tag", "later");
  const dir = await copyOf(workspace, history);
  expect(gitIn(dir, "rev-parse", "HEAD")).toBe(before);
  expect(gitIn(dir, "tag")).toBe("");
  expect(gitIn(dir, "status", "--porcelain")).toBe(" M a.txt\n");
});

test("what is committed in a copy reaches nobody", async () => {
  const { files, workspace } = await aCheckout({ "a.txt": "a\n" });
  const dir = await copyOf(workspace, await historyOf(workspace));
  const before = [files.git("for-each-ref"), files.git("count-objects", "-v")];
  writeFileSync(join(dir, "a.txt"), "by a check\n");
  gitIn(dir, "commit", "-qam", "by a check");
  gitIn(dir, "tag", "by-a-check");
  expect([files.git("for-each-ref"), files.git("count-objects", "-v")]).toEqual(before);
  expect(files.git("status", "--porcelain")).toBe("");
});

test("a detached HEAD stays one, and line ends that are converted are no change", async () => {
  const { files, workspace } = await aCheckout({ "a.txt": "a\n" });
  files.git("config", "core.autocrlf", "true");
  files.git("checkout", "-q", "--detach");
  files.write({ "a.txt": "a\r\n" });
  const dir = await copyOf(workspace, await historyOf(workspace));
  expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("a\r\n");
  expect(gitIn(dir, "status", "--porcelain")).toBe("");
  expect(gitIn(dir, "rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD\n");
});

test("a shallow clone and a linked worktree have copies too, hooks and drivers are left behind", async () => {
  const { files } = await aCheckout({ "a.txt": "a\n", ".gitattributes": "*.txt filter=loud\n" });
  files.git("commit", "-q", "--allow-empty", "-m", "second");
  const shallow = join(tempFolder(), "shallow");
  const linked = join(tempFolder(), "linked");
  files.git("clone", "-q", "--depth", "1", `file://${files.dir}`, shallow);
  files.git("worktree", "add", "-q", linked);
  files.git("config", "filter.loud.clean", "touch loud; cat");
  for (const place of [shallow, linked]) {
    const workspace = must(await provider.open(place, tempFolder()));
    const dir = await copyOf(workspace, await historyOf(workspace));
    expect(gitIn(dir, "log", "--format=%s").split("\n")[0]).toBe("second");
    expect(gitIn(dir, "status", "--porcelain")).toBe("");
    expect(existsSync(join(dir, "loud"))).toBe(false);
    expect(existsSync(join(dir, ".git/hooks"))).toBe(false);
  }
});

test("a plain folder and a repository without commits have no history to give", async () => {
  const folder = await aWorkspace("folder", { a: "1" });
  expect(must(await folder.workspace.history())).toBeUndefined();
  expect(await folder.workspace.addHistory(tempFolder(), "")).toMatchObject({
    problem: { code: "not-a-repository" },
  });
  const { files } = await aWorkspace("folder", { a: "1" });
  execFileSync("git", ["init", "-q"], { cwd: files.dir });
  const { workspace } = await benchOf(files);
  expect(must(await workspace.history())).toBeUndefined();
});

test("a repository with submodules, or with SHA-256, has copies that git can read", async () => {
  const nested = withSubmodule();
  const other = inlineFolder({ "a.txt": "a\n" });
  const init = "git init -q --object-format=sha256 && git add . && git commit -qm start";
  const identity = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a",
  };
  execFileSync("sh", ["-c", init], { cwd: other.dir, env: { PATH: process.env["PATH"], ...identity } });
  for (const files of [nested, other]) {
    const { workspace } = await benchOf(files);
    const dir = await copyOf(workspace, await historyOf(workspace));
    expect(gitIn(dir, "log", "-1", "--format=%H")).toBe(gitIn(files.dir, "log", "-1", "--format=%H"));
    expect(gitIn(dir, "diff", "--name-only", "--ignore-submodules")).toBe("");
  }
});
