import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { must } from "../../src/core/result.ts";
import type { InlineRepo } from "../../src/testing/inline-repo.ts";
import { gitIn, inlineRepo } from "../../src/testing/inline-repo.ts";
import { aCheckout, type Bench, benchOf, provider, tempFolder } from "./workspace-fixture.ts";

const START = { "src/a.ts": "before", "README.md": "hello\n", "b.txt": "b\n" };

/** Ways in which an agent might change `src/a.ts` to `hidden` without git's ordinary answer showing it. */
const TRICKS: readonly { readonly name: string; run(bench: Bench<InlineRepo>): void }[] = [
  {
    name: "assume-unchanged",
    run: ({ files }) => {
      files.git("update-index", "--assume-unchanged", "src/a.ts");
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "skip-worktree",
    run: ({ files }) => {
      files.git("update-index", "--skip-worktree", "src/a.ts");
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "a sparse checkout that leaves the file out",
    run: ({ files }) => {
      files.git("sparse-checkout", "set", "--no-cone", "/README.md");
      files.write({ "src/a.ts": "hidden", "b.txt": "b\n" });
    },
  },
  {
    name: "a replace ref",
    run: ({ files }) => {
      files.write({ "src/a.ts": "hidden" });
      const hidden = files.git("hash-object", "-w", "src/a.ts").trim();
      files.git("replace", files.git("rev-parse", "HEAD:src/a.ts").trim(), hidden);
    },
  },
  {
    name: "a clean filter",
    run: ({ files }) => {
      files.git("config", "filter.hide.clean", "printf before");
      files.write({ ".gitattributes": "*.ts filter=hide\n", "src/a.ts": "hidden" });
    },
  },
  {
    name: "attributes in info",
    run: ({ files }) => {
      files.git("config", "filter.hide.clean", "printf before");
      files.write({ ".git/info/attributes": "*.ts filter=hide -text working-tree-encoding=UTF-16\n" });
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "an encoding attribute",
    run: ({ files }) => {
      files.write({ ".gitattributes": "*.ts text working-tree-encoding=UTF-16 ident eol=crlf\n" });
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "the same size and time",
    run: ({ files }) => {
      const old = new Date("2021-01-01T00:00:00Z");
      files.write({ "src/a.ts": "hidden" });
      utimesSync(join(files.dir, "src/a.ts"), old, old);
    },
  },
  {
    name: "an ignore rule",
    run: ({ files }) => {
      files.write({ ".gitignore": "src/\n*.ts\n", "src/a.ts": "hidden" });
    },
  },
  {
    name: "an ignore rule and removal from the index",
    run: ({ files }) => {
      files.git("rm", "-q", "--cached", "src/a.ts");
      files.write({ ".gitignore": "src/\n", "src/a.ts": "hidden" });
    },
  },
  {
    name: "an exclude in info",
    run: ({ files }) => {
      files.git("rm", "-q", "--cached", "src/a.ts");
      appendFileSync(join(files.dir, ".git/info/exclude"), "src/\n*\n");
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "core.excludesFile",
    run: ({ files }) => {
      const excludes = join(tempFolder(), "excludes");
      writeFileSync(excludes, "*\n");
      files.git("config", "core.excludesFile", excludes);
      files.git("rm", "-q", "--cached", "src/a.ts");
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "core.worktree",
    run: ({ files }) => {
      files.git("config", "core.worktree", tempFolder());
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "core.fsmonitor that says nothing changed",
    run: ({ files }) => {
      files.git("config", "core.fsmonitor", "printf 'token\\0'");
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "settings that make git blind to times and modes",
    run: ({ files }) => {
      for (const [key, value] of [
        ["core.trustctime", "false"],
        ["core.checkStat", "minimal"],
        ["core.fileMode", "false"],
        ["core.ignoreStat", "true"],
        ["core.autocrlf", "true"],
      ] as const) {
        files.git("config", key, value);
      }
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "a repository dropped into the folder",
    run: ({ files }) => {
      gitIn(join(files.dir, "src"), "init", "-q");
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "a repository with everything ignored dropped into the folder",
    run: ({ files }) => {
      gitIn(join(files.dir, "src"), "init", "-q");
      files.write({ "src/.git/info/exclude": "*\n", "src/.gitignore": "*\n", "src/a.ts": "hidden" });
      gitIn(join(files.dir, "src"), "commit", "-q", "--allow-empty", "-m", "x");
    },
  },
  {
    name: "a broken repository dropped into the folder",
    run: ({ files }) => {
      files.write({ "src/.git": "gitdir: /nonexistent\n", "src/a.ts": "hidden" });
    },
  },
  {
    name: "a damaged index",
    run: ({ files }) => {
      files.write({ ".git/index": "no index", "src/a.ts": "hidden" });
    },
  },
  {
    name: "a removed repository",
    run: ({ files }) => {
      files.remove(".git");
      files.write({ "src/a.ts": "hidden" });
    },
  },
  {
    name: "settings in our own object store",
    run: ({ files, store }) => {
      appendFileSync(join(store, "git/config"), "[core]\n\ttrustctime = false\n\tfsmonitor = printf x\n");
      writeFileSync(join(store, "git/info/attributes"), "*.ts filter=hide\n");
      files.write({ "src/a.ts": "hidden" });
    },
  },
];

describe("a changed file is in the tree in spite of", () => {
  test.each(TRICKS)("$name", async ({ run }) => {
    const bench = await aCheckout(START);
    const old = new Date("2021-01-01T00:00:00Z");
    utimesSync(join(bench.files.dir, "src/a.ts"), old, old);
    const before = await bench.snapshot();
    run(bench);
    const after = await bench.snapshot();
    expect(must(await bench.workspace.diff(before, after))).toContainEqual({
      path: "src/a.ts",
      kind: "modified",
    });
    expect((await bench.holds(after))["src/a.ts"]).toBe("hidden");
    if (!existsSync(join(bench.files.dir, ".git"))) return;
    const later = await bench.reopen(bench.workspace.rules);
    expect(must(await later.snapshot())).toBe(after);
  });
});

describe("a new file is in the tree in spite of", () => {
  test("an ignore rule that came with it", async () => {
    const { files, snapshot, holds } = await aCheckout(START);
    await snapshot();
    files.write({ ".gitignore": "conftest.py\nlib/\n", "conftest.py": "x", "lib/x.ts": "x" });
    expect(await holds(await snapshot())).toMatchObject({ "conftest.py": "x", "lib/x.ts": "x" });
  });

  test("a repository around it", async () => {
    const { files, snapshot, holds } = await aCheckout(START);
    await snapshot();
    files.write({ "new/x.ts": "x", "new/deeper/y.ts": "y", "new/.gitignore": "*\n" });
    gitIn(join(files.dir, "new"), "init", "-q");
    gitIn(join(files.dir, "new/deeper"), "init", "-q");
    expect(await holds(await snapshot())).toMatchObject({ "new/x.ts": "x", "new/deeper/y.ts": "y" });
  });

  test("an ignore rule, when git tracks it", async () => {
    const { files, snapshot, holds } = await aCheckout({ ...START, ".gitignore": "*.gen\n" });
    await snapshot();
    files.write({ "x.gen": "tracked", "y.gen": "not tracked" });
    files.git("add", "-f", "x.gen");
    const found = await holds(await snapshot());
    expect(found["x.gen"]).toBe("tracked");
    expect(found["y.gen"]).toBeUndefined();
  });
});

test("a tracked file that an ignore rule of the start matches is part of the tree", async () => {
  const repo = inlineRepo({ "dist/a.js": "1" });
  repo.write({ ".gitignore": "dist/\n", "dist/b.js": "untracked" });
  const { snapshot, holds, files } = await benchOf(repo);
  expect(await holds(await snapshot())).toEqual({ ".gitignore": "dist/\n", "dist/a.js": "1" });
  files.remove("dist/a.js");
  expect(Object.keys(await holds(await snapshot()))).toEqual([".gitignore"]);
  files.write({ "dist/a.js": "2" });
  expect(await holds(await snapshot())).toMatchObject({ "dist/a.js": "2" });
});

test("a tracked and ignored folder that becomes an ignored link leaves the tree", async () => {
  const repo = inlineRepo({ "dist/a.js": "1" });
  repo.write({ ".gitignore": "/*\n!/.gitignore\n" });
  const { snapshot, holds, files } = await benchOf(repo);
  await snapshot();
  const moved = join(tempFolder(), "moved");
  renameSync(join(files.dir, "dist"), moved);
  symlinkSync(moved, join(files.dir, "dist"));
  expect(Object.keys(await holds(await snapshot()))).toEqual([".gitignore"]);
});

test("a file that is no longer ignored joins the tree", async () => {
  const { files, snapshot, holds } = await aCheckout({ ...START, ".gitignore": "lib/\n" });
  files.write({ "lib/x.ts": "x" });
  expect((await holds(await snapshot()))["lib/x.ts"]).toBeUndefined();
  files.write({ ".gitignore": "tmp/\n" });
  expect((await holds(await snapshot()))["lib/x.ts"]).toBe("x");
});

test("a dependency folder that is new and newly ignored stays out of the tree", async () => {
  const { files, snapshot, holds, workspace } = await aCheckout(START);
  await snapshot();
  files.write({
    ".gitignore": "node_modules/\n",
    "node_modules/x/index.js": "x",
    "pkg/node_modules/y/i.js": "y",
  });
  expect(Object.keys(await holds(await snapshot()))).toEqual([".gitignore", ...Object.keys(START).sort()]);
  expect(must(await workspace.ignored())).toEqual(["node_modules/", "pkg/node_modules/"]);
});

test("a dependency folder that loses its ignore rule stays out of the tree", async () => {
  const { files, snapshot, holds } = await aCheckout({ ...START, ".gitignore": "node_modules/\n" });
  files.write({ "node_modules/x/index.js": "x" });
  await snapshot();
  files.remove(".gitignore");
  expect(Object.keys(await holds(await snapshot()))).toEqual(Object.keys(START).sort());
});

test("no hook, filter or monitor of the repository runs", async () => {
  const repo = inlineRepo(START);
  const mark = join(tempFolder(), "ran");
  const script = { executable: `#!/bin/sh\ntouch ${mark}\n` };
  for (const hook of [
    "post-checkout",
    "pre-commit",
    "post-index-change",
    "reference-transaction",
    "post-commit",
  ]) {
    repo.write({ [`.git/hooks/${hook}`]: script });
  }
  repo.git("config", "core.fsmonitor", join(repo.dir, ".git/hooks/pre-commit"));
  repo.git("config", "filter.run.clean", `touch ${mark}; cat`);
  repo.git("config", "filter.run.smudge", `touch ${mark}; cat`);
  repo.git("config", "filter.run.process", `touch ${mark}; cat`);
  repo.git("config", "diff.external", `touch ${mark}`);
  repo.git("config", "diff.run.textconv", `touch ${mark}; cat`);
  repo.write({ ".git/info/attributes": "*.ts filter=run diff=run\n", "b.txt": "changed\n" });
  execFileSync("rm", ["-f", mark]);
  const { workspace, snapshot } = await benchOf(repo);
  const before = await snapshot();
  repo.write({ "b.txt": "again\n" });
  const after = await snapshot();
  must(await workspace.patch(before, after));
  must(await workspace.ignored());
  must(await workspace.facts());
  const worktree = must(await workspace.addWorktree(join(tempFolder(), "w"), after));
  must(await workspace.snapshot(worktree.path));
  must(await workspace.integrate(before, after));
  must(await workspace.commit(["b.txt"], "Change b"));
  await workspace.branch("work", after, "Work");
  must(await workspace.removeWorktree(worktree.path));
  expect(existsSync(mark)).toBe(false);
});

test("git variables in the caller's environment have no say", async () => {
  const repo = inlineRepo(START);
  const other = inlineRepo({ other: "1" });
  const bench = await benchOf(repo, {
    ...process.env,
    GIT_DIR: join(other.dir, ".git"),
    GIT_WORK_TREE: other.dir,
    GIT_INDEX_FILE: join(other.dir, ".git/index"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.worktree",
    GIT_CONFIG_VALUE_0: other.dir,
  });
  expect(Object.keys(await bench.holds(await bench.snapshot()))).toEqual(Object.keys(START).sort());
  other.dispose();
});

test("a forged index of ours is noticed and everything is hashed again", async () => {
  const { files, snapshot, holds, store } = await aCheckout(START);
  const before = await snapshot();
  files.write({ "src/a.ts": "hidden" });
  execFileSync("sh", ["-c", `for f in ${join(store, "scratch")}/index-*; do printf x >> "$f"; done`]);
  const after = await snapshot();
  expect(after).not.toBe(before);
  expect((await holds(after))["src/a.ts"]).toBe("hidden");
});

test("ignore rules that were tampered with between two processes are a problem", async () => {
  const { workspace, store, files } = await aCheckout(START);
  writeFileSync(join(store, "rules", workspace.rules, "rules.json"), '{"repositories":[],"files":[]}');
  expect(await provider.open(files.dir, store, workspace.rules)).toMatchObject({
    ok: false,
    problem: { code: "tree-unreadable" },
  });
});

test("damaged contents are a problem and never an answer", async () => {
  const { workspace, store, snapshot } = await aCheckout(START);
  const tree = await snapshot();
  const entry = must(await workspace.list(tree)).find(({ path }) => path === "b.txt");
  const object = join(store, "git/objects", entry?.content.slice(0, 2) ?? "", entry?.content.slice(2) ?? "");
  const other = must(await workspace.list(tree)).find(({ path }) => path === "README.md")?.content ?? "";
  execFileSync("cp", ["-f", join(store, "git/objects", other.slice(0, 2), other.slice(2)), object]);
  expect(await workspace.read(tree, "b.txt")).toMatchObject({
    ok: false,
    problem: { code: "tree-unreadable" },
  });
  const out = join(tempFolder(), "out");
  const written = await workspace.materialise(tree, out);
  expect(written.ok ? "ok" : written.problem.code).toMatch(/^tree-(tampered|unreadable)$/);
});
