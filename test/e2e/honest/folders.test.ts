import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { gitIn } from "../../../src/testing/inline-repo.ts";
import { type Lab, openLab } from "../../lab.ts";
import { evidence, satisfied, textOf } from "./scene.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

const SUM_TEST = `
import assert from "node:assert";
import { test } from "node:test";
import { sum } from "./sum.mjs";
test("adds", () => assert.equal(sum(1, 2), 3));
`;
const BROKEN_SUM = "export const sum = (a, b) => a - b;\n";
const FIX_SUM = "sed -i 's/a - b/a + b/' sum.mjs";

describe("go works in a folder", () => {
  test("whose test was written a minute ago and is not committed, and judges by that test", async () => {
    lab = openLab({ "sum.mjs": BROKEN_SUM });
    lab.repo.write({ "sum.test.mjs": SUM_TEST });
    const emptied = `echo "" > sum.test.mjs; ${FIX_SUM}`;
    await satisfied(lab, { check: "node --test", agent: emptied });
    expect(await evidence(lab)).toMatchObject([{ tests: { passed: 1, missing: [] } }]);
    expect(lab.repo.git("status", "--porcelain", "--untracked-files=all")).toContain("?? sum.test.mjs");
  });

  test("without git", async () => {
    lab = openLab({ "sum.mjs": BROKEN_SUM, "sum.test.mjs": SUM_TEST }, { noGit: true });
    const answer = await satisfied(lab, { check: "node --test", agent: FIX_SUM });
    expect(answer["changed"]).toEqual([{ path: "sum.mjs", kind: "modified" }]);
  });

  test("without commits yet", async () => {
    lab = openLab({ "sum.mjs": BROKEN_SUM, "sum.test.mjs": SUM_TEST }, { noCommit: true });
    await satisfied(lab, { check: "node --test", agent: FIX_SUM });
    expect(lab.repo.git("for-each-ref")).toBe("");
  });

  test("on a detached HEAD, and stays there", async () => {
    lab = openLab({ "sum.mjs": BROKEN_SUM, "sum.test.mjs": SUM_TEST });
    lab.repo.git("config", "user.name", "Ada");
    lab.repo.git("config", "user.email", "ada@example.org");
    lab.repo.git("checkout", "-q", "--detach");
    const head = lab.repo.git("rev-parse", "HEAD");
    await satisfied(lab, { check: "node --test", agent: FIX_SUM, flags: ["--commit"] });
    expect(lab.repo.git("rev-parse", "HEAD~1")).toBe(head);
    expect(lab.repo.git("branch", "--show-current")).toBe("");
  });

  test("whose paths have spaces, quotes, emoji and two normal forms of a letter", async () => {
    const names = ["a b/ü ñ.txt", "quote ' and \".txt", "-dash.txt", "emoji 🎉/dèjà.txt", "de\u0301ja.txt"];
    lab = openLab(Object.fromEntries(names.map((name) => [name, "old\n"])));
    const agent = "find . -name '*.txt' -not -path './.git/*' -print0 | xargs -0 sed -i s/old/new/";
    const check = "! grep -rq old --include='*.txt' .";
    const answer = await satisfied(lab, { check, agent });
    const changed = answer["changed"] as { path: string }[];
    expect(changed.map((change) => change.path).toSorted()).toEqual(names.toSorted());
  });

  test("whose own name has spaces and letters beyond ASCII", async () => {
    lab = openLab({ "keep.txt": "x\n" });
    const inside = join(lab.outside, "mon projet été (1)");
    mkdirSync(inside);
    writeFileSync(join(inside, "sum.mjs"), BROKEN_SUM);
    writeFileSync(join(inside, "sum.test.mjs"), SUM_TEST);
    gitIn(inside, "init", "-q");
    gitIn(inside, "add", "-A");
    gitIn(inside, "commit", "-q", "-m", "Begin");
    await satisfied(lab, { check: "node --test", agent: FIX_SUM, flags: ["-C", inside] });
  });

  test("with CRLF files, which stay CRLF", async () => {
    lab = openLab({ ".gitattributes": "* text=auto eol=crlf\n", "a.txt": "old\r\nkeep\r\n" });
    const check = "grep -q '^new.$' a.txt && grep -q 'keep.$' a.txt";
    const answer = await satisfied(lab, { check, agent: "sed -i 's/^old/new/' a.txt" });
    expect(answer["changed"]).toEqual([{ path: "a.txt", kind: "modified" }]);
    expect(textOf(lab, "a.txt")).toBe("new\r\nkeep\r\n");
    expect(lab.repo.git("diff", "--stat")).toContain("a.txt | 2 +-");
  });

  test("with a submodule, whose files count like the others", async () => {
    lab = openLab({ "a.txt": "a\n" });
    const library = join(lab.outside, "library");
    mkdirSync(library);
    gitIn(library, "init", "-q");
    writeFileSync(join(library, "lib.txt"), "library\n");
    gitIn(library, "add", "-A");
    gitIn(library, "commit", "-q", "-m", "Begin");
    lab.repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "vendor/lib");
    lab.repo.git("commit", "-q", "-m", "Add the library");
    const answer = await satisfied(lab, {
      check: "grep -q library vendor/lib/lib.txt && grep -q more vendor/lib/more.txt",
      agent: "echo more > vendor/lib/more.txt",
    });
    expect(answer["changed"]).toEqual([{ path: "vendor/lib/more.txt", kind: "added" }]);
    expect(lab.repo.git("submodule", "status")).toMatch(/^ [0-9a-f]{40} vendor\/lib/);
  });

  test("with a nested repository that has no commit yet", async () => {
    lab = openLab({ "a.txt": "a\n" });
    lab.repo.write({ "inner/old.txt": "old\n" });
    gitIn(join(lab.repo.dir, "inner"), "init", "-q");
    const answer = await satisfied(lab, {
      check: "grep -q old inner/old.txt && test -e inner/new.txt",
      agent: "echo new > inner/new.txt",
    });
    expect(answer["changed"]).toEqual([{ path: "inner/new.txt", kind: "added" }]);
  });

  test("that is entered through a link or from a folder below the top", async () => {
    lab = openLab({ "package/sum.mjs": BROKEN_SUM, "package/sum.test.mjs": SUM_TEST });
    const link = join(lab.outside, "link");
    symlinkSync(join(lab.repo.dir, "package"), link);
    await satisfied(lab, {
      check: "node --test package/sum.test.mjs",
      agent: "sed -i 's/a - b/a + b/' package/sum.mjs",
      flags: ["-C", link],
    });
    const status = await lab.run(["status", "--json", "-C", join(lab.repo.dir, "package")]);
    expect(status.json()).toMatchObject({ satisfied: true });
  });

  test("that is a linked worktree, with a sparse checkout and work that is staged", async () => {
    lab = openLab({ "sum.mjs": BROKEN_SUM, "sum.test.mjs": SUM_TEST, "docs/big.txt": "big\n" });
    const tree = join(lab.outside, "second");
    lab.repo.git("worktree", "add", "-q", tree);
    gitIn(tree, "sparse-checkout", "set", "--no-cone", "/*.mjs");
    writeFileSync(join(tree, "staged.txt"), "mine\n");
    gitIn(tree, "add", "--sparse", "staged.txt");
    await satisfied(lab, { check: "node --test", agent: FIX_SUM, flags: ["-C", tree] });
    expect(gitIn(tree, "status", "--porcelain")).toBe("A  staged.txt\n M sum.mjs\n");
  });

  test("whose git filters, hooks and fsmonitor the user has set up, and runs none of them on its own", async () => {
    lab = openLab({ ".gitattributes": "*.bin filter=lfs\n", "a.txt": "a\n", "data.bin": "content\n" });
    const mark = join(lab.outside, "filter-ran");
    const filter = `sh -c 'echo "$@" >> ${mark}; cat'`;
    lab.repo.git("config", "filter.lfs.clean", filter);
    lab.repo.git("config", "filter.lfs.smudge", filter);
    lab.repo.git("config", "core.fsmonitor", `sh -c 'echo fsmonitor >> ${mark}'`);
    await satisfied(lab, { check: "test -e b.txt && grep -q content data.bin", agent: "touch b.txt" });
    expect(() => execFileSync("cat", [mark], { stdio: "pipe" })).toThrow();
  });
});
