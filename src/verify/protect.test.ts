import { describe, expect, test } from "vitest";
import type { TreeEntry } from "../ports/workspace.ts";
import { planJudgedTree } from "./judged-tree.ts";
import { describeProtection, guardsAdded, protectionOf } from "./protect.ts";
import type { Protection } from "./types.ts";

function protect(
  paths: readonly string[],
  more: Partial<Parameters<typeof protectionOf>[0]> = {},
): Protection {
  const entries = paths.map((path): TreeEntry => ({ path, mode: "file", content: path }));
  return protectionOf({ entries, commands: [], protect: [], unprotect: [], allowTests: false, ...more });
}

describe("by default", () => {
  test("tests, runner settings, hooks, CI and our own settings are protected, and the product is not", () => {
    const judging = [
      ".github/workflows/ci.yml",
      ".loopwright/config.toml",
      ".npmrc",
      "Makefile",
      "conftest.py",
      "lib/a_test.go",
      "lib/testdata/x.bin",
      "pkg/conftest.py",
      "src/__mocks__/fs.ts",
      "src/__snapshots__/a.snap",
      "src/a.test.ts",
      "src/fixtures/a.json",
      "test/helper.js",
      "tests/test_x.py",
      "tox.ini",
      "venv.pth",
      "vitest.config.ts",
    ];
    const product = [
      "README.md",
      "app/fixtures/seed.json",
      "contest.py",
      "src/a.ts",
      "src/latest.ts",
      "vite.config.ts",
      "attest/x.go",
    ];
    expect(protect([...judging, ...product]).paths).toEqual([...judging].sort());
  });

  test("installed packages that the base tree holds are protected whole, and commands that are put beside them", () => {
    const installed = ["node_modules/runner/cli.js", "node_modules/runner/package.json"];
    const held = protect(["src/a.ts", ...installed]);
    expect(held).toMatchObject({ paths: installed, manifests: [] });
    const added = ["node_modules/.bin/node", "node_modules/other/index.js", "src/node_modules/.bin/node"];
    expect(added.filter(guardsAdded(held))).toEqual(added);
    expect(added.filter(guardsAdded(protect(["src/a.ts"])))).toEqual([added[0], added[2]]);
  });

  test("mixed manifests are split, wherever they are", () => {
    const { paths, manifests } = protect([
      "package.json",
      "packages/a/package.json",
      "pyproject.toml",
      "src/a.ts",
    ]);
    expect(manifests).toEqual(["package.json", "packages/a/package.json", "pyproject.toml"]);
    expect(paths).toEqual([]);
  });

  test("settings of a tool are protected when a check runs that tool", () => {
    const paths = ["eslint.config.js", "tsconfig.json", "vite.config.ts"];
    expect(protect(paths).paths).toEqual([]);
    expect(protect(paths, { commands: ["eslint .", "tsc --noEmit", "vitest run"] }).paths).toEqual(paths);
    expect(protect([...paths, "vitest.config.ts"], { commands: ["vitest run"] }).paths).toEqual([
      "vitest.config.ts",
    ]);
  });
});

describe("a file that a check names", () => {
  test("is protected when it is a script, a test or configuration by convention", () => {
    const paths = ["scripts/verify.mjs", "check.py", "run.sh", "lint.ini", "src/a.spec.ts"];
    const commands = [
      "node scripts/verify.mjs && python check.py",
      "sh ./run.sh -c lint.ini",
      "node src/a.spec.ts",
    ];
    expect(protect(paths, { commands }).paths).toEqual([...paths].sort());
  });

  test("is not protected when it is the product", () => {
    const paths = ["src/index.js", "app.py", "bin/cli.js", "data.json"];
    const commands = ["node src/index.js", "python app.py data.json", "node bin/cli.js --help"];
    expect(protect(paths, { commands }).paths).toEqual([]);
  });
});

describe("a person", () => {
  test("adds and takes away by globs, and taking away wins", () => {
    const paths = ["src/core/a.ts", "src/a.test.ts", "test/b.js"];
    const globs = { protect: ["src/core/"], unprotect: ["src/a.test.ts"] };
    expect(protect(paths, globs).paths).toEqual(["src/core/a.ts", "test/b.js"]);
    expect(protect(paths, { protect: ["**"], unprotect: ["**"] }).paths).toEqual([]);
  });

  test("reads what is protected in a few lines", () => {
    const many = Array.from({ length: 20 }, (_none, index) => `test/t${String(index).padStart(2, "0")}.js`);
    const lines = new Map(describeProtection(protect([...many, "Makefile"])));
    expect(lines.get("tests")).toMatch(/^test\/t00\.js, .* and 8 more$/);
    expect(lines.get("check files")).toBe("Makefile");
    expect(describeProtection(protect(["src/a.ts"]))).toEqual([]);
  });
});

describe("added files", () => {
  test("that could hook the judgement are left out, others are the work", () => {
    const guards = guardsAdded(protect(["src/a.ts"]));
    const added = ["conftest.py", "src/b.test.ts", ".npmrc", "vitest.config.mts", "src/b.ts", "package.json"];
    expect(added.filter(guards)).toEqual(["conftest.py", "src/b.test.ts", ".npmrc", "vitest.config.mts"]);
  });

  test("that are tests count when they are allowed, hooks still do not", () => {
    const guards = guardsAdded(protect(["src/a.ts"], { allowTests: true }));
    expect(["src/b.test.ts", ".npmrc", "vitest.config.ts"].filter(guards)).toEqual([
      ".npmrc",
      "vitest.config.ts",
    ]);
  });
});

describe("the judged tree", () => {
  const protection = protect(["test/a.js", "src/a.ts", "package.json", "Makefile"]);

  test("restores what was changed or deleted, leaves out what was added, and splits manifests", () => {
    const plan = planJudgedTree(protection, [
      { path: "Makefile", kind: "mode" },
      { path: "package.json", kind: "modified" },
      { path: "src/a.ts", kind: "modified" },
      { path: "test/a.js", kind: "deleted" },
      { path: "test/b.js", kind: "added" },
      { path: "web/package.json", kind: "added" },
    ]);
    expect(plan).toEqual({
      restore: ["Makefile", "test/a.js"],
      omit: ["test/b.js"],
      manifests: ["package.json", "web/package.json"],
      addedTests: ["test/b.js"],
      needsApproval: [],
    });
  });

  test("has no file, link or folder left where a restored path must stand", () => {
    const plan = planJudgedTree(protection, [
      { path: "Makefile", kind: "deleted" },
      { path: "Makefile/x.txt", kind: "added" },
      { path: "test", kind: "added" },
      { path: "test/a.js", kind: "deleted" },
    ]);
    expect(plan.omit).toEqual(["Makefile/x.txt", "test"]);
  });

  test("takes approved paths as they were found", () => {
    const changes = [{ path: "test/a.js", kind: "modified" }] as const;
    expect(planJudgedTree(protection, changes, ["test/a.js"]).restore).toEqual([]);
  });
});
