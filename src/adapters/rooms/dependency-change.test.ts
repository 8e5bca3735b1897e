import { describe, expect, test } from "vitest";
import { compareDependencies } from "./dependency-change.ts";
import type { DependencyFiles } from "./detect.ts";

type Tree = Readonly<Record<string, string>>;

function files(tree: Tree): DependencyFiles {
  return { paths: Object.keys(tree), text: new Map(Object.entries(tree)) };
}

function compare(base: Tree, change: Tree, changedPaths: readonly string[] = Object.keys(change)) {
  return compareDependencies({
    base: files(base),
    judged: files({ ...base, ...change }),
    changedPaths,
    isTool: () => false,
  });
}

const LOCK = JSON.stringify({ lockfileVersion: 3, packages: { "": {} } });
const NPM: Tree = { "package.json": '{"scripts":{"test":"node --test"}}', "package-lock.json": LOCK };

describe("dependencies of a judged tree", () => {
  test("are unchanged when only the code changed", () => {
    expect(compare(NPM, {}, ["src/index.js"])).toEqual({ kind: "none" });
  });

  test("are unchanged when package.json gains something that installs nothing", () => {
    expect(compare(NPM, { "package.json": '{"scripts":{"test":"node --test"},"description":"x"}' })).toEqual({
      kind: "none",
    });
  });

  test.each([
    ["an override", { "package.json": '{"overrides":{"a":"1.0.0"}}' }, "package.json changes overrides"],
    [
      "a patched dependency of pnpm",
      { "package.json": '{"pnpm":{"patchedDependencies":{"a":"a.patch"}}}' },
      "package.json changes pnpm",
    ],
    [
      "another lifecycle script",
      { "package.json": '{"scripts":{"postinstall":"node evil.js"}}' },
      "package.json changes script postinstall",
    ],
    ["a patch file", { "patches/a+1.0.0.patch": "diff" }, "patches/a+1.0.0.patch bends what is installed"],
    [
      "a lock of a manager without rules",
      { "web/yarn.lock": "x" },
      "web/yarn.lock changed, and its rules are not known here",
    ],
  ])("with %s need a person", (_what, change, reason) => {
    expect(compare(NPM, change)).toEqual({ kind: "needs-approval", reasons: [reason] });
  });

  test("of Python may gain a pinned distribution, but no link, option or pytest plugin", () => {
    const base = { "requirements.txt": "attrs==23.1.0\n" };
    expect(compare(base, { "requirements.txt": "attrs==23.1.0\nidna==3.7  # new\n" })).toEqual({
      kind: "additions",
      added: ["idna==3.7"],
    });
    for (const line of ["-e .", "x @ file:///tmp/x", "./x", "--index-url https://x.test", "pytest-evil==1"]) {
      expect(compare(base, { "requirements.txt": `attrs==23.1.0\n${line}\n` }).kind).toBe("needs-approval");
    }
    expect(compare(base, { "requirements.txt": "attrs==23.2.0\n" }).kind).toBe("needs-approval");
  });

  test("of Rust may gain a crate of a registry, but no path and no other version of a crate", () => {
    const crate = (
      name: string,
      version: string,
      source = "registry+https://github.com/rust-lang/crates.io-index",
    ) =>
      `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "${source}"\nchecksum = "${name}"\n`;
    const own = '[[package]]\nname = "me"\nversion = "0.1.0"\n';
    const base = { "Cargo.toml": "[package]\n", "Cargo.lock": own + crate("serde", "1.0.0") };
    const lock = (text: string) => compare(base, { "Cargo.lock": text });
    expect(
      lock(`${own}dependencies = ["itoa"]\n${crate("serde", "1.0.0")}${crate("itoa", "1.0.0")}`),
    ).toEqual({
      kind: "additions",
      added: ["itoa@1.0.0"],
    });
    expect(lock(own + crate("serde", "1.0.1")).kind).toBe("needs-approval");
    expect(lock(base["Cargo.lock"] + crate("x", "1.0.0", "git+https://x.test/x")).kind).toBe(
      "needs-approval",
    );
    expect(
      compare(base, { "Cargo.toml": '[package]\n[patch.crates-io]\nserde = { path = "x" }\n' }).kind,
    ).toBe("needs-approval");
  });

  test("of Go may gain a module, but nothing may be replaced or change its version or sum", () => {
    const base = {
      "go.mod": "module m\n\ngo 1.22\n\nrequire (\n\ta.test/a v1.0.0\n)\n",
      "go.sum": "a.test/a v1.0.0 h1:aaa\n",
    };
    const mod = (text: string) => compare(base, { "go.mod": text });
    expect(
      mod("module m\n\ngo 1.22\n\nrequire (\n\ta.test/a v1.0.0\n\tb.test/b v1.0.0 // indirect\n)\n"),
    ).toEqual({
      kind: "additions",
      added: ["b.test/b@v1.0.0"],
    });
    expect(mod("module m\n\ngo 1.22\n\nrequire a.test/a v1.1.0\n").kind).toBe("needs-approval");
    expect(mod(`${base["go.mod"]}replace a.test/a => ./a\n`).kind).toBe("needs-approval");
    expect(compare(base, { "go.sum": "a.test/a v1.0.0 h1:bbb\n" }).kind).toBe("needs-approval");
  });

  test("of uv and poetry may gain a package with a wheel from the registry", () => {
    const uv = (name: string, tail: string) =>
      `[[package]]\nname = "${name}"\nversion = "1.0"\nsource = { registry = "https://pypi.org/simple" }\n${tail}\n`;
    const wheel = 'wheels = [{ url = "https://x.test/a-1.0-py3-none-any.whl", hash = "sha256:1" }]';
    const base = { "pyproject.toml": "", "uv.lock": uv("a", wheel) };
    expect(compare(base, { "uv.lock": base["uv.lock"] + uv("b", wheel) })).toEqual({
      kind: "additions",
      added: ["b@1.0"],
    });
    expect(compare(base, { "uv.lock": base["uv.lock"] + uv("b", "") })).toMatchObject({
      kind: "needs-approval",
    });
  });
});
