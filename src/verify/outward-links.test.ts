import { expect, test } from "vitest";
import { leadsOut } from "./outward-links.ts";

test("a link to a path of the tree stays in it", () => {
  for (const [path, target] of [
    ["a", "b"],
    ["src/a", "../b/c"],
    ["src/deep/a", "../../b"],
    ["src/a", ".."],
    ["a", "./.gitignore"],
  ] as const) {
    expect(leadsOut(path, target), `${path} -> ${target}`).toBe(false);
  }
});

test("an absolute link, one above the root, one into the repository and one that turns around lead out", () => {
  for (const [path, target] of [
    ["a", "/etc/passwd"],
    ["a", ".."],
    ["src/a", "../../b"],
    ["src/a", "./../../b"],
    ["src/a", "../.git/config"],
    ["a", "up/../b"],
  ] as const) {
    expect(leadsOut(path, target), `${path} -> ${target}`).toBe(true);
  }
});
