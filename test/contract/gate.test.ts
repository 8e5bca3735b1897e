import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type GateLab, gateLab, hasTool } from "../../src/testing/gate-lab.ts";
import type { InlineFiles } from "../../src/testing/inline-repo.ts";

const open: GateLab[] = [];
afterEach(() => {
  for (const lab of open.splice(0)) lab.dispose();
});
async function session(...args: Parameters<typeof gateLab>): Promise<GateLab> {
  const lab = await gateLab(...args);
  open.push(lab);
  return lab;
}

const TEST = `import { test } from "node:test";
import assert from "node:assert";
import { sum } from "../sum.mjs";
test("adds", () => assert.equal(sum(1, 2), 3));
test("keeps zero", () => assert.equal(sum(0, 0), 0));
`;
const FIXED = "export const sum = (a, b) => a + b;\n";
const NODE_PROJECT = {
  ".gitignore": "node_modules/\n",
  "package.json": JSON.stringify({
    name: "demo",
    private: true,
    type: "module",
    scripts: { test: "node --test" },
  }),
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "test/sum.test.mjs": TEST,
};

describe("on a real repository", () => {
  test("a fix satisfies at the strongest level, and the checkout is left as it was", async () => {
    const { repo, baseline, gate } = await session(NODE_PROJECT, "npm test");
    expect(baseline).toMatchObject({ level: "clean", state: "red" });
    repo.write({ "sum.mjs": FIXED });
    expect(await gate()).toMatchObject({
      satisfied: true,
      level: "clean",
      checks: [{ verdict: "pass", evidence: { report: "file", tests: { passed: 2, failed: 0 } } }],
    });
    expect(repo.git("status", "--porcelain").trim()).toBe("M sum.mjs");
  });

  test("no trick around the check satisfies in a checkout", async () => {
    const tricks: readonly InlineFiles[] = [
      { "package.json": JSON.stringify({ type: "module", scripts: { test: "true" } }) },
      { ".npmrc": "script-shell=/bin/true\n" },
      { "node_modules/.bin/node": { executable: "#!/bin/sh\nexit 0\n" } },
    ];
    const { repo, gate } = await session(NODE_PROJECT, "npm test", { level: "clean" });
    for (const trick of tricks) {
      repo.write(trick);
      expect([Object.keys(trick), (await gate()).satisfied]).toEqual([Object.keys(trick), false]);
      for (const path of Object.keys(trick)) repo.remove(path);
      repo.git("checkout", "-q", ".");
    }
  });

  test("in place, protected paths are put back as the work left them", async () => {
    const { repo, gate } = await session(NODE_PROJECT, "node --test", { level: "in-place" });
    repo.write({ "sum.mjs": FIXED, "test/sum.test.mjs": "// gone\n" });
    expect(await gate()).toMatchObject({
      satisfied: true,
      level: "in-place",
      touchedProtected: ["test/sum.test.mjs"],
    });
    expect(repo.git("show", ":test/sum.test.mjs")).toBe(TEST);
    expect(repo.git("diff", "--stat")).toContain("test/sum.test.mjs");
  });

  test("a runner patched inside the dependency folder does not pass in a snapshot", async () => {
    const tool = "#!/bin/sh\ngrep -q fixed state.txt\n";
    const files = {
      ".gitignore": "node_modules/\n",
      "state.txt": "broken\n",
      "package.json": `{"name":"x","scripts":{"test":"tool"}}`,
    };
    const { repo, baseline, gate } = await session(files, "npm test", { level: "snapshot" }, (dir) => {
      mkdirSync(join(dir, "node_modules/.bin"), { recursive: true });
      writeFileSync(join(dir, "node_modules/.bin/tool"), tool, { mode: 0o755 });
    });
    expect(baseline).toMatchObject({ level: "snapshot", state: "red" });
    repo.write({ "node_modules/.bin/tool": { executable: "#!/bin/sh\nexit 0\n" } });
    expect((await gate()).satisfied).toBe(false);
    repo.write({ "state.txt": "fixed\n" });
    expect((await gate()).satisfied).toBe(true);
  });
});

describe("other runners", () => {
  test.skipIf(!hasTool("pytest"))(
    "pytest reports ids by file, and a plugin that the work adds has no say",
    async () => {
      const files = {
        "calc.py": "def add(a, b):\n    return a - b\n",
        "tests/test_calc.py": "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n",
        "pyproject.toml": `[tool.pytest.ini_options]\npythonpath = ["."]\n`,
      };
      const { repo, baseline, gate } = await session(files, "python3 -m pytest -q", { level: "in-place" });
      expect(baseline.checks[0]?.tests).toMatchObject([
        { id: { file: "tests/test_calc.py", name: "test_add" }, status: "failed" },
      ]);
      repo.write({ "conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n" });
      expect((await gate()).satisfied).toBe(false);
      repo.remove("conftest.py");
      repo.write({ "calc.py": "def add(a, b):\n    return a + b\n" });
      expect(await gate()).toMatchObject({
        satisfied: true,
        checks: [{ evidence: { tests: { passed: 1 } } }],
      });
    },
  );
});
