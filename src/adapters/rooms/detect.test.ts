import { expect, test } from "vitest";
import { type DependencyFiles, detectManagers, missingLock } from "./detect.ts";

function files(tree: Readonly<Record<string, string>>): DependencyFiles {
  return { paths: Object.keys(tree), text: new Map(Object.entries(tree)) };
}
function detected(tree: Readonly<Record<string, string>>): readonly string[] {
  return detectManagers(files(tree)).map(({ manager, cwd }) => `${manager.name} ${cwd || "."}`);
}

test("each lock file of a monorepo is one set-up, outer folders first", () => {
  const tree = {
    "web/package-lock.json": "",
    "Cargo.lock": "",
    "api/requirements.txt": "",
    "tools/go.sum": "",
  };
  expect(detected(tree)).toEqual(["cargo .", "pip api", "go tools", "npm web"]);
});

test("the manager that package.json names wins over another lock beside it", () => {
  const locks = { "pnpm-lock.yaml": "", "package-lock.json": "" };
  expect(detected({ ...locks, "package.json": "{}" })).toEqual(["pnpm ."]);
  expect(detected({ ...locks, "package.json": '{"packageManager":"npm@11.0.0"}' })).toEqual(["npm ."]);
});

test("locks of fixtures, samples and installed packages are not set-ups", () => {
  const tree = {
    "test/fixtures/a/package-lock.json": "",
    "examples/b/yarn.lock": "",
    "node_modules/c/package-lock.json": "",
  };
  expect(detected(tree)).toEqual([]);
});

test("a build of several Maven modules is run once, from its outermost folder", () => {
  expect(detected({ "pom.xml": "", "core/pom.xml": "" })).toEqual(["maven ."]);
});

test("a project without dependencies lacks no lock file", () => {
  expect(missingLock(files({ "package.json": '{"scripts":{}}', "go.mod": "module m\n" }))).toBeUndefined();
  expect(missingLock(files({ "pyproject.toml": "[tool.pytest.ini_options]\n" }))).toBeUndefined();
});

test("dependencies without a lock file are named", () => {
  expect(missingLock(files({ "web/package.json": '{"devDependencies":{"a":"1"}}' }))).toBe(
    "web/package.json names dependencies, but there is no lock file",
  );
  expect(missingLock(files({ "pyproject.toml": '[project]\ndependencies = ["a"]\n' }))).toContain(
    "pyproject.toml",
  );
  expect(missingLock(files({ "Cargo.toml": "[dependencies]\n" }))).toContain("Cargo.toml");
});
