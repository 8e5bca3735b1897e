import { execFileSync, spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { openLab } from "../../lab.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../dist/loopsmith.cjs");
const LOOP = `name: tiny
intent: {goals: [{name: there, description: It is there.}]}
execution:
  graph: {nodes: [{id: build, role: builder, instruction: Make it.}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, "cat > /dev/null; echo made > made"]}]}
safety:
  checks: [{target: there, name: there, mode: objective, statement: There., detector: {type: file_exists, path: made}}]
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`;

test("the spellings of loopsmith run the loop, and say what is spelled otherwise", () => {
  const lab = openLab({ "nightly/loop.yaml": LOOP });
  try {
    const env = { PATH: process.env["PATH"] ?? "", HOME: lab.outside, LOOPWRIGHT_HOME: lab.home };
    const said = spawnSync(
      process.execPath,
      [PROGRAM, "run", "nightly/loop.yaml", "--run-id", "r1", "--json"],
      {
        ...{ cwd: lab.repo.dir, env, encoding: "utf8" },
      },
    );
    expect(said.stderr).toContain("`run` is spelled `run start` now\n");
    expect(said.stderr).toContain("--run-id is left out: sessions name themselves\n");
    expect(JSON.parse(said.stdout)).toMatchObject({ satisfied: true, title: "tiny" });
    expect(execFileSync("git", ["status", "--porcelain"], { cwd: lab.repo.dir, encoding: "utf8" })).toContain(
      "made",
    );
  } finally {
    lab.dispose();
  }
});
