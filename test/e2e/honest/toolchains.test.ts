import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { hasTool } from "../../../src/testing/room-lab.ts";
import { type Lab, openLab } from "../../lab.ts";
import { evidence, satisfied, textOf } from "./scene.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const npm = hasTool("npm", "--version");
const python = hasTool("python3", "-m", "venv", "--help");

/** A package as a tarball in the folder, which a lock can name without any registry. */
function packInto(dir: string, name: string, files: Readonly<Record<string, string>>): void {
  const source = join(dir, `${name}-source`);
  mkdirSync(source, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(source, path), text);
  execFileSync("npm", ["pack", "--silent", source, "--pack-destination", dir], { cwd: dir, stdio: "pipe" });
  rmSync(source, { recursive: true });
}

function lockOffline(dir: string): void {
  const flags = ["--package-lock-only", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...flags], { cwd: dir, stdio: "pipe" });
}

describe.skipIf(!npm)("go judges a JavaScript project", () => {
  test("in a fresh worktree without node_modules, by what the lock names, and installs nothing there", async () => {
    lab = openLab({ ".gitignore": "node_modules/\n", "sum.mjs": "export const sum = (a, b) => a - b;\n" });
    mkdirSync(join(lab.repo.dir, "vendored"));
    packInto(join(lab.repo.dir, "vendored"), "assure", {
      "package.json": json({ name: "assure", version: "1.0.0", main: "index.js" }),
      "index.js": "module.exports = (ok) => { if (!ok) throw new Error('not so'); };\n",
    });
    lab.repo.write({
      "package.json": json({
        name: "app",
        version: "1.0.0",
        scripts: { test: "node --test" },
        devDependencies: { assure: "file:vendored/assure-1.0.0.tgz" },
      }),
      "sum.test.mjs":
        'import assure from "assure";\nimport { test } from "node:test";\nimport { sum } from "./sum.mjs";\ntest("adds", () => assure(sum(1, 2) === 3));\n',
    });
    lockOffline(lab.repo.dir);
    lab.repo.commit("Depend on assure");
    const tree = join(lab.outside, "fresh");
    lab.repo.git("worktree", "add", "-q", tree);
    const answer = await satisfied(lab, {
      check: "npm test",
      agent: "sed -i 's/a - b/a + b/' sum.mjs",
      flags: ["-C", tree],
    });
    expect(answer["level"]).toBe("clean");
    expect(existsSync(join(tree, "node_modules"))).toBe(false);
  });

  test("with workspaces and install scripts of its root", async () => {
    lab = openLab({
      ".gitignore": "node_modules/\ngenerated/\n",
      "package.json": json({
        name: "mono",
        version: "1.0.0",
        private: true,
        workspaces: ["packages/*"],
        scripts: {
          postinstall: "node scripts/generate.mjs",
          test: "npm test --workspaces",
        },
      }),
      "scripts/generate.mjs":
        'import { mkdirSync, writeFileSync } from "node:fs";\nmkdirSync("node_modules/.generated", { recursive: true });\nwriteFileSync("node_modules/.generated/factor.json", "2");\n',
      "packages/core/package.json": json({
        name: "@mono/core",
        version: "1.0.0",
        type: "module",
        main: "index.js",
        scripts: { test: "node --test" },
      }),
      "packages/core/index.js": "export const double = (n) => n;\n",
      "packages/core/core.test.js":
        'import assert from "node:assert";\nimport { test } from "node:test";\nimport { double } from "./index.js";\ntest("doubles", () => assert.equal(double(2), 4));\n',
      "packages/app/package.json": json({
        name: "@mono/app",
        version: "1.0.0",
        type: "module",
        dependencies: { "@mono/core": "1.0.0" },
        scripts: { test: "node --test" },
      }),
      "packages/app/app.test.js":
        'import assert from "node:assert";\nimport { readFileSync } from "node:fs";\nimport { test } from "node:test";\nimport { double } from "@mono/core";\nconst factor = Number(readFileSync(new URL("../../node_modules/.generated/factor.json", import.meta.url)));\ntest("uses core", () => assert.equal(double(3), 3 * factor));\n',
    });
    lockOffline(lab.repo.dir);
    lab.repo.commit("Lock");
    const answer = await satisfied(lab, {
      check: "npm test",
      agent: "sed -i 's/=> n;/=> 2 * n;/' packages/core/index.js",
    });
    expect(answer["level"]).toBe("clean");
    expect(answer["changed"]).toEqual([{ path: "packages/core/index.js", kind: "modified" }]);
  });

  test("with installed packages but no lock, by a copy of what is installed", async () => {
    lab = openLab({
      ".gitignore": "node_modules/\n",
      "package.json": json({
        name: "app",
        dependencies: { helper: "^1.0.0" },
        scripts: { test: "node check.cjs" },
      }),
      "check.cjs": 'require("helper"); if (!require("fs").existsSync("done.txt")) process.exit(1);\n',
    });
    lab.repo.write({
      "node_modules/helper/package.json": json({ name: "helper", version: "1.0.0", main: "index.js" }),
      "node_modules/helper/index.js": "module.exports = 1;\n",
    });
    const answer = await satisfied(lab, { check: "npm test", agent: "touch done.txt" });
    expect(answer["level"]).toBe("snapshot");
  });

  test("with tests that are skipped and still to do, which may stay so", async () => {
    lab = openLab({
      "sum.mjs": "export const sum = (a, b) => a - b;\n",
      "sum.test.mjs": `
import assert from "node:assert";
import { describe, test } from "node:test";
import { sum } from "./sum.mjs";
test("adds", () => assert.equal(sum(1, 2), 3));
test.skip("adds huge numbers", () => assert.equal(sum(2n ** 70n, 1n), 1n));
test.todo("adds fractions");
test("is known to fail", { todo: true }, () => assert.equal(sum(1), 1));
describe.skip("later", () => { test("never runs", () => assert.fail()); });
`,
    });
    await satisfied(lab, { check: "node --test", agent: "sed -i 's/a - b/a + b/' sum.mjs" });
    expect(await evidence(lab)).toMatchObject([
      { tests: { passed: 1, failed: 0, missing: [], newlyFailing: [] } },
    ]);
  });

  test("by a check that names a product file, which the agent may change", async () => {
    lab = openLab({ "src/app.js": "process.exit(1);\n" });
    await satisfied(lab, { check: "node src/app.js", agent: "echo 'process.exit(0);' > src/app.js" });
    expect(textOf(lab, "src/app.js")).toBe("process.exit(0);\n");
  });

  test("with a new dependency-free package script next to the check's own", async () => {
    lab = openLab({
      "package.json": json({ name: "app", scripts: { test: "node --test" } }),
      "sum.mjs": "export const sum = (a, b) => a - b;\n",
      "sum.test.mjs":
        'import assert from "node:assert";\nimport { test } from "node:test";\nimport { sum } from "./sum.mjs";\ntest("adds", () => assert.equal(sum(1, 2), 3));\n',
    });
    const agent =
      'sed -i \'s/a - b/a + b/\' sum.mjs; node -e \'const f="package.json",p=JSON.parse(fs.readFileSync(f));p.scripts.start="node sum.mjs";p.description="adds";fs.writeFileSync(f,JSON.stringify(p))\'';
    await satisfied(lab, { check: "npm test", agent });
    expect(JSON.parse(textOf(lab, "package.json"))).toMatchObject({
      description: "adds",
      scripts: { start: "node sum.mjs" },
    });
  });
});

describe.skipIf(!python)("go judges a Python project", () => {
  test("with an editable install, in the working folder itself", async () => {
    lab = openLab({
      ".gitignore": ".venv/\n*.egg-info/\n__pycache__/\n",
      "requirements.txt": "-e .\n",
      "pyproject.toml": '[project]\nname = "adder"\nversion = "1.0"\n',
      "adder.py": "def add(a, b):\n    return a - b\n",
      "test_adder.py":
        "import adder, unittest\n\nclass Adds(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(adder.add(1, 2), 3)\n",
    });
    editableVenv(lab.repo.dir);
    const answer = await satisfied(lab, {
      check: ".venv/bin/python -c 'import adder; assert adder.add(1, 2) == 3'",
      agent: "sed -i 's/a - b/a + b/' adder.py",
    });
    expect(answer["level"]).toBe("in-place");
  });
});

/** What `pip install -e .` leaves: a venv with a path file that leads into the working folder. */
function editableVenv(dir: string): void {
  execFileSync("python3", ["-m", "venv", "--without-pip", ".venv"], { cwd: dir, stdio: "pipe" });
  const script = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
  const site = execFileSync(".venv/bin/python", ["-c", script], { cwd: dir, encoding: "utf8" }).trim();
  writeFileSync(join(site, "__editable__.adder-1.0.pth"), `${dir}\n`);
}

describe("go gives the checks what they need", () => {
  test("an ignored .env is there, and its content is in no evidence", async () => {
    lab = openLab({
      ".gitignore": ".env\n",
      "check.sh": '. ./.env\ntest "$TOKEN" = s3cr3t-value && test -e done.txt\n',
    });
    lab.repo.write({ ".env": "TOKEN=s3cr3t-value\n" });
    const answer = await satisfied(lab, { check: "sh check.sh", agent: "touch done.txt" });
    expect(answer["level"]).toBe("clean");
    expect(JSON.stringify(await evidence(lab))).not.toContain("s3cr3t-value");
  });

  test("a file of variables named by --check-env", async () => {
    lab = openLab({ ".gitignore": "settings.env\n", "a.txt": "a\n" });
    lab.repo.write({ "settings.env": "GREETING=hello\n" });
    await satisfied(lab, {
      check: "grep -q hello settings.env && test -e done.txt",
      agent: "touch done.txt",
      flags: ["--check-env", "settings.env"],
    });
  });

  test("tools that live in the project's ignored folders", async () => {
    lab = openLab({ ".gitignore": "tools/\n", "a.txt": "a\n" });
    lab.repo.write({ "tools/verify": { executable: "#!/bin/sh\ntest -e done.txt\n" } });
    const answer = await satisfied(lab, { check: "tools/verify", agent: "touch done.txt" });
    expect(answer["level"]).toBe("in-place");
  });
});
