import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { openCliLab } from "../cli-lab.ts";

const LOOP = `name: three stamps
intent: {goals: [{name: stamped, description: All stamps are there.}]}
execution:
  graph:
    concurrency: {mode: sequential}
    nodes:
      - {id: slow, role: builder, instruction: make stampalpha, weight: 1}
      - {id: quick, role: builder, instruction: make stampbeta, weight: 9}
  providers:
    providers:
      - {id: sh, kind: byok, command: sh, args: [-c, "if grep -q stampalpha; then sleep 1; date +%N > one; else date +%N > two; fi"], prompt_on_stdin: true}
safety:
  checks:
    - {target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: both}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`;

test("a loop that ran before is planned by the time its pieces took, and says what an iteration costs", async () => {
  const lab = openCliLab();
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...words], { cwd: lab.dir });
  git("init", "-q");
  lab.write(".gitignore", "home/\n");
  lab.write("loop.yaml", LOOP);
  git("add", ".");
  git("commit", "-qm", "start");
  const before = await lab.run("loop", "plan");
  expect(before.json).toMatchObject({
    unit: "weight",
    critical_cost: 9,
    expected_seconds: null,
    expected_usd: null,
  });
  expect((await lab.run("loop", "start")).exit).toBe(10);
  const { json } = await lab.run("loop", "plan");
  expect(json).toMatchObject({
    unit: "seconds",
    critical_path: ["slow"],
    expected_usd: null,
    expected_usd_unknown: ["slow", "quick"],
    pieces: [
      { piece: "slow", attempts: 1 },
      { piece: "quick", attempts: 1 },
    ],
  });
  const again = await lab.say("loop", "start");
  expect(again.stderr).toMatch(
    /^One iteration: +about \d+ s, cost 2 unknown \(slow, quick\), by earlier runs$/m,
  );
});
