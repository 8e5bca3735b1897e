import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const DEMO = join(import.meta.dirname, "../../templates/demo");
const root = mkdtempSync(join(tmpdir(), "demo-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("the demo's agent claims success too early, and is right the second time", () => {
  const repo = join(root, "repo");
  const logs = join(root, "claude");
  cpSync(join(DEMO, "project"), repo, { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", CLAUDE_CONFIG_DIR: logs };
  const areTestsGreen = () => spawnSync(process.execPath, ["--test"], { cwd: repo, env }).status === 0;
  const work = () =>
    execFileSync(process.execPath, [join(DEMO, "agent.mjs")], {
      cwd: repo,
      env,
      input: "fix it",
      encoding: "utf8",
    });

  expect(areTestsGreen()).toBe(false);
  expect(work()).toContain("All tests pass now");
  expect(areTestsGreen()).toBe(false);
  work();
  expect(areTestsGreen()).toBe(true);
  expect(
    readdirSync(logs, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".jsonl")),
  ).toHaveLength(2);
});
