import { describe, expect, test } from "vitest";
import { compareNpmLocks, npmRebuilds, parseNpmLock } from "./npm-lock.ts";

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly [key: string]: unknown;
}

function registry(name: string, version: string, more: object = {}): Entry {
  const file = `${name.split("/").pop()}-${version}.tgz`;
  return {
    version,
    resolved: `https://registry.npmjs.org/${name}/-/${file}`,
    integrity: `sha512-${name}@${version}`,
    ...more,
  };
}

const BASE: Readonly<Record<string, Entry>> = {
  "": { devDependencies: { runner: "^1.0.0" } },
  "node_modules/runner": registry("runner", "1.0.0", {
    bin: { run: "run.js" },
    dependencies: { helper: "^1.0.0" },
    peerDependencies: { plugin: "*" },
  }),
  "node_modules/helper": registry("helper", "1.0.0"),
  "node_modules/native": registry("native", "3.0.0", { hasInstallScript: true }),
};

function lock(packages: Readonly<Record<string, Entry>>): string {
  return JSON.stringify({ lockfileVersion: 3, packages });
}

function compare(change: Readonly<Record<string, Entry | undefined>>, tools: readonly string[] = []) {
  const merged = Object.entries({ ...BASE, ...change }).filter(([, entry]) => entry !== undefined);
  return compareNpmLocks({
    path: "package-lock.json",
    base: lock(BASE),
    judged: JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(merged) }),
    isTool: (name) => tools.includes(name),
  });
}

describe("a change of package-lock.json", () => {
  test("that adds a plain registry package is an addition", () => {
    expect(compare({ "node_modules/left-pad": registry("left-pad", "1.3.0") })).toEqual({
      added: ["left-pad@1.3.0"],
      reasons: [],
    });
  });

  test("that only removes a package needs nobody", () => {
    expect(compare({ "node_modules/native": undefined })).toEqual({ added: [], reasons: [] });
  });

  test.each<[string, Readonly<Record<string, Entry | undefined>>, RegExp]>([
    [
      "an install script",
      { "node_modules/x": registry("x", "1.0.0", { hasInstallScript: true }) },
      /x runs a script/,
    ],
    [
      "a git source",
      { "node_modules/x": { version: "1.0.0", resolved: "git+ssh://git@example.test/x.git#abc" } },
      /not from a registry/,
    ],
    ["a local folder", { "node_modules/x": { resolved: "tools/x", link: true } }, /comes from tools\/x/],
    [
      "a local tarball",
      { "node_modules/x": registry("x", "1.0.0", { resolved: "file:x.tgz" }) },
      /file:x.tgz/,
    ],
    [
      "a tarball of another host",
      { "node_modules/x": registry("x", "1.0.0", { resolved: "https://evil.test/x/-/x-1.0.0.tgz" }) },
      /evil.test/,
    ],
    ["no integrity", { "node_modules/x": { version: "1.0.0" } }, /unknown source/],
    ["an alias", { "node_modules/x": registry("y", "1.0.0", { name: "y" }) }, /alias of y/],
    [
      "a command another package has",
      { "node_modules/x": registry("x", "1.0.0", { bin: { run: "x.js" } }) },
      /command run/,
    ],
    [
      "a shadow copy of a dependency of the runner",
      { "node_modules/runner/node_modules/helper": registry("helper", "1.0.1") },
      /helper resolves elsewhere for node_modules\/runner/,
    ],
    [
      "a package that the runner looks for and did not find",
      { "node_modules/plugin": registry("plugin", "1.0.0") },
      /now finds plugin/,
    ],
    [
      "another version",
      { "node_modules/runner": registry("runner", "1.0.1") },
      /changes from 1.0.0 to 1.0.1/,
    ],
    [
      "another hash of the same version",
      { "node_modules/helper": registry("helper", "1.0.0", { integrity: "sha512-other" }) },
      /another source/,
    ],
  ])("with %s needs a person", (_what, change, reason) => {
    expect(compare(change).reasons.join("\n")).toMatch(reason);
  });

  test("with a command that hides one of the PATH needs a person", () => {
    const change = { "node_modules/x": registry("x", "1.0.0", { bin: { node: "x.js" } }) };
    expect(compare(change, ["node"]).reasons).toEqual([
      "x brings a command node, which hides the one on the PATH",
    ]);
  });

  test.each(["{", "{}", '{"lockfileVersion":1,"dependencies":{}}'])(
    "that leaves no readable lock needs a person: %s",
    (judged) => {
      const pair = { path: "package-lock.json", base: lock(BASE), judged, isTool: () => false };
      expect(compareNpmLocks(pair).reasons).toHaveLength(1);
    },
  );
});

test("only packages that both locks name identically are rebuilt", () => {
  const base = parseNpmLock(lock(BASE)) ?? new Map();
  const judged = parseNpmLock(
    lock({
      ...BASE,
      "node_modules/new": registry("new", "1.0.0", { hasInstallScript: true }),
    }),
  );
  expect(npmRebuilds(base, judged ?? new Map())).toEqual(["native@3.0.0"]);
});
