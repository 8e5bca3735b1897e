import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import { inlineRepo } from "../../src/testing/inline-repo.ts";
import { aCheckout, benchOf, stateOf, withSubmodule } from "./workspace-fixture.ts";

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

test("what HEAD holds already is not committed again, and an index that was left behind follows", async () => {
  const { files, workspace } = await aCheckout({ a: "1" });
  const before = files.git("rev-parse", "HEAD^{tree}").trim();
  files.write({ a: "2" });
  const { commit } = must(await workspace.commit(["a"], "Change a"));
  files.git("read-tree", before);
  expect(must(await workspace.commit(["a"], "Change a"))).toEqual({ commit });
  expect(files.git("rev-parse", "HEAD").trim()).toBe(commit);
  expect(files.git("status", "--porcelain")).toBe("");
});

test("a branch that is what was asked for already is left as it is", async () => {
  const { files, workspace, snapshot } = await aCheckout({ a: "1" });
  files.write({ a: "2" });
  const tree = await snapshot();
  const made = must(await workspace.branch("work", tree, "Change a"));
  expect(must(await workspace.branch("work", tree, "Change a"))).toEqual(made);
});

test("a commit of a file that needs a filter program is refused", async () => {
  const { files, workspace } = await aCheckout({ "x.big": "1" });
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
