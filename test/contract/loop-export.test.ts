import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { type CliLab, openCliLab } from "../cli-lab.ts";

const loopWith = (script: string) => `# how to stamp
name: Stamp it!
intent:
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph: {nodes: [{id: stamp, role: builder, instruction: Put the stamp into its place.}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, "${script}; echo NOTE: trust me"], prompt_on_stdin: true}]}
safety:
  checks: [{target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}]
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`;

function aLab(script: string): CliLab {
  const lab = openCliLab();
  execFileSync("git", ["init", "-q"], { cwd: lab.dir });
  lab.write(".gitignore", "home/\n*-success/\n");
  lab.write("loop.yaml", loopWith(script));
  return lab;
}

test("what a loop has reached is written with the file that ran, its evidence and how to reach it again", async () => {
  const lab = aLab("cat >/dev/null; echo x > stamp.txt");
  expect((await lab.run("loop", "start")).exit).toBe(0);
  lab.write("loop.yaml", loopWith("changed since"));
  const { json } = await lab.run("loop", "export");
  expect(json).toMatchObject({
    folder: lab.path("stamp-it-success"),
    files: ["SKILL.md", "EVIDENCE.md", "loop.yaml"],
  });
  const read = (name: string) => readFileSync(lab.path(`stamp-it-success/${name}`), "utf8");
  expect(read("loop.yaml")).toBe(loopWith("cat >/dev/null; echo x > stamp.txt"));
  expect(read("SKILL.md")).toMatch(
    /^---\nname: stamp-it\n[\s\S]*- stamped: satisfied, 1 of 1 blocking checks passed/,
  );
  expect(read("EVIDENCE.md")).toContain("  - there: pass");
  for (const name of ["SKILL.md", "EVIDENCE.md"]) expect(read(name)).not.toContain("trust me");
});

test("a start that is asked to exports its success, and a failure leaves nothing", async () => {
  const lab = aLab("cat >/dev/null; echo x > stamp.txt");
  const { exit, stderr } = await lab.say("loop", "start", "--export");
  expect([exit, stderr]).toEqual([0, expect.stringContaining(`wrote ${lab.path("stamp-it-success")}`)]);
  expect(existsSync(lab.path("stamp-it-success/SKILL.md"))).toBe(true);
  const other = aLab("cat >/dev/null");
  expect((await other.say("loop", "start", "--export")).exit).toBe(10);
  expect(existsSync(other.path("stamp-it-success"))).toBe(false);
});

test("nothing is written for a session without success, or whose goal was taken back", async () => {
  const lab = aLab("cat >/dev/null");
  expect((await lab.run("loop", "start")).exit).toBe(10);
  expect((await lab.run("loop", "export")).json).toMatchObject({ problem: { code: "not-satisfied" } });
  expect(existsSync(lab.path("stamp-it-success"))).toBe(false);

  lab.write("loop.yaml", loopWith("cat >/dev/null; echo x > stamp.txt"));
  expect((await lab.run("loop", "start")).exit).toBe(0);
  rmSync(lab.path("stamp.txt"));
  await lab.run("gate", "2");
  expect((await lab.run("loop", "export", "--session", "2")).json).toMatchObject({
    problem: { code: "not-satisfied" },
  });
});
