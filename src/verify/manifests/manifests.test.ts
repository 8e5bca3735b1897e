import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { splitManifest } from "./index.ts";

function merged(path: string, base: string | undefined, found: string | undefined): string {
  const split = splitManifest(path, base, found);
  if (!split.ok) throw new Error(split.why);
  return split.text;
}

describe("package.json", () => {
  const base = JSON.stringify({
    type: "commonjs",
    scripts: { test: "jest" },
    jest: { bail: true },
    dependencies: {},
  });

  test("keeps scripts and runner settings of the base and everything else of the agent", () => {
    const found = JSON.stringify({
      type: "module",
      scripts: { test: "true" },
      vitest: {},
      babel: { plugins: ["./evil"] },
      dependencies: { left: "1" },
      exports: "./x.js",
    });
    expect(JSON.parse(merged("package.json", base, found))).toEqual({
      type: "module",
      scripts: { test: "jest" },
      jest: { bail: true },
      dependencies: { left: "1" },
      exports: "./x.js",
    });
  });

  test("stays byte for byte as the agent wrote it when nothing protected differs", () => {
    const found = `{\n\t"scripts": {"test":"jest"}, "jest":{"bail":true}, "version": "2.0.0"}`;
    expect(splitManifest("package.json", base, found)).toEqual({ ok: true, text: found, changed: false });
  });

  test("that cannot be parsed is a reason, never the base's text", () => {
    expect(splitManifest("package.json", base, "{")).toMatchObject({ ok: false });
    expect(splitManifest("package.json", base, "[]")).toMatchObject({ ok: false });
    expect(splitManifest("package.json", "{", base)).toMatchObject({ ok: false });
  });

  test("that is deleted leaves its scripts and runner settings in force", () => {
    expect(JSON.parse(merged("package.json", base, undefined))).toEqual({
      scripts: { test: "jest" },
      jest: { bail: true },
    });
  });

  test("that is added brings no runner settings; a workspace member keeps its own scripts", () => {
    const found = JSON.stringify({ scripts: { build: "tsc" }, jest: { globalSetup: "./evil" } });
    expect(JSON.parse(merged("package.json", undefined, found))).toEqual({});
    expect(JSON.parse(merged("packages/new/package.json", undefined, found))).toEqual({
      scripts: { build: "tsc" },
    });
  });

  test("split against itself is itself, and splitting twice changes nothing", () => {
    const manifest = fc.record(
      {
        scripts: fc.dictionary(fc.string(), fc.string()),
        jest: fc.jsonValue(),
        name: fc.string(),
        extra: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(manifest, manifest, (a, b) => {
        const [old, now] = [JSON.stringify(a), JSON.stringify(b)];
        expect(merged("package.json", old, old)).toBe(old);
        const once = merged("package.json", old, now);
        expect(merged("package.json", old, once)).toBe(once);
      }),
    );
  });
});

describe("pyproject.toml", () => {
  const base = `[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-q"\n[build-system]\nrequires = ["hatchling"]\n`;

  test("keeps pytest, build and plugin hooks of the base, and dependencies of the agent", () => {
    const found = `[project]\nname = "x"\ndependencies = ["httpx"]\n[project.entry-points.pytest11]\nevil = "x.evil"\n[tool.pytest.ini_options]\naddopts = "-p evil"\n[tool.ruff]\nline-length = 1\n[tool.mine]\nratio = 1.0\ncount = 2\n`;
    const text = merged("pyproject.toml", base, found);
    expect(parse(text)).toEqual({
      project: { name: "x", dependencies: ["httpx"], "entry-points": {} },
      tool: { pytest: { ini_options: { addopts: "-q" } }, mine: { ratio: 1, count: 2 } },
      "build-system": { requires: ["hatchling"] },
    });
    expect(text).toContain("ratio = 1.0");
    expect(text).toContain("count = 2\n");
  });

  test("that cannot be parsed is a reason", () => {
    expect(splitManifest("pyproject.toml", base, "= nonsense")).toMatchObject({ ok: false });
  });
});

describe("Cargo.toml", () => {
  test("keeps test targets, harness and profiles of the base", () => {
    const base = `[package]\nname = "x"\n[lib]\ndoctest = true\n[[test]]\nname = "it"\n[[bin]]\nname = "b"\n`;
    const found = `[package]\nname = "x"\nautotests = false\nbuild = "evil.rs"\n[lib]\npath = "src/new.rs"\nharness = false\n[[test]]\nname = "it"\nharness = false\n[[bin]]\nname = "b"\ntest = false\n[profile.test]\npanic = "abort"\n[dependencies]\nserde = "1"\n`;
    expect(parse(merged("Cargo.toml", base, found))).toEqual({
      package: { name: "x" },
      lib: { path: "src/new.rs", doctest: true },
      test: [{ name: "it" }],
      bin: [{ name: "b" }],
      profile: {},
      dependencies: { serde: "1" },
    });
  });
});

describe("setup.cfg", () => {
  test("keeps runner sections of the base as written, and all others of the agent", () => {
    const base = "[metadata]\nname = x\n[tool:pytest]\naddopts = -q\n";
    const found = "[metadata]\nname = x\nversion = 2\n[tool:pytest]\naddopts = -p evil\n[DEFAULT]\na = b\n";
    const text = merged("setup.cfg", base, found);
    expect(text).toBe("[metadata]\nname = x\nversion = 2\n\n[tool:pytest]\naddopts = -q\n\n");
  });

  test("brings no pytest plugin through its entry points", () => {
    const found = "[options.entry_points]\npytest11 =\n  evil = x.evil\n";
    expect(merged("setup.cfg", "[metadata]\nname = x\n", found)).toBe("");
  });

  test("that is no list of sections is a reason", () => {
    expect(splitManifest("setup.cfg", "", "addopts = 1\n[a]\n")).toMatchObject({ ok: false });
    expect(splitManifest("setup.cfg", "", "[a]\n[a]\n")).toMatchObject({ ok: false });
  });
});
