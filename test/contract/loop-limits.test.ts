import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type CliLab, openCliLab } from "../cli-lab.ts";

/** An agent that keeps what it was told, and does what the script says. */
function aLab(script: string, { isolation = "none" } = {}): CliLab {
  const lab = openCliLab();
  const git = (...words: readonly string[]) =>
    execFileSync("git", [...words], { cwd: lab.dir, stdio: "ignore" });
  git("init", "-q");
  lab.write(".gitignore", "home/\ntold.txt\n");
  lab.write("kept.txt", "as it was\n");
  lab.write(
    "loop.yaml",
    `name: stamp
intent:
  background: [{key: house_style, value: short}]
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph:
    nodes: [{id: stamp, role: builder, instruction: Put the stamp into its place., isolation: {mode: ${isolation}}}]
  providers:
    providers: [{id: sh, kind: byok, command: sh, args: [-c, ${JSON.stringify(`cat > told.txt; ${script}`)}], prompt_on_stdin: true}]
safety:
  checks:
    - {target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}
  alerts: [{id: began, metric: iterations, above: 0, message: it began}]
  limits:
    global: {forbidden_paths: [kept.txt, "private/"], forbidden_commands: [rm -rf], human_checkpoint: [publishing]}
    per_node: {stamp: {rules: [Use black ink.], forbidden_paths: [own.txt]}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`,
  );
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "start");
  return lab;
}

test.each([
  ["a file", "echo stamp > stamp.txt; echo changed > kept.txt"],
  ["anything in a folder", "echo stamp > stamp.txt; mkdir -p private; echo x > private/y"],
  ["what is forbidden to the piece alone", "echo stamp > stamp.txt; echo x > own.txt"],
])("a change of what is forbidden ends the session at first sight: %s", async (_what, script) => {
  const { exit, json } = await aLab(script).run("loop", "start");
  expect(exit).toBe(12);
  expect(json).toMatchObject({ problem: { code: "forbidden-paths" } });
});

test("work of a worktree that touches what is forbidden never comes to the folder", async () => {
  const lab = aLab("echo stamp > stamp.txt; echo x > own.txt", { isolation: "worktree" });
  expect((await lab.run("loop", "start")).exit).toBe(12);
  expect(existsSync(lab.path("stamp.txt"))).toBe(false);
});

test("an alert and the end reach the command that the home names", async () => {
  const lab = aLab("echo stamp > stamp.txt");
  mkdirSync(lab.home);
  lab.write("home/config.toml", `notify.command = ["tee", "-a", ${JSON.stringify(lab.path("home/told"))}]\n`);
  expect((await lab.run("loop", "start")).exit).toBe(0);
  const told = readFileSync(lab.path("home/told"), "utf8").trim().split("\n");
  expect(told.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ kind: "alert", title: "stamp", text: "alert began: it began" }),
    expect.objectContaining({ kind: "ended", text: "succeeded: goal-satisfied" }),
  ]);
});

test("an end without success is in the ledger with its reason", async () => {
  const lab = aLab("echo nothing");
  expect((await lab.run("loop", "start")).exit).toBe(10);
  const { stdout } = await lab.run("ledger", "show");
  expect(stdout).toContain('"session:stopped"');
  expect((await lab.run("status")).json).toMatchObject({ satisfied: false, reason: "no iteration is left" });
});

test("work that leaves it alone reaches the goal, and was told facts, rules and limits", async () => {
  const lab = aLab("echo stamp > stamp.txt");
  expect((await lab.run("loop", "start")).exit).toBe(0);
  const told = readFileSync(lab.path("told.txt"), "utf8");
  for (const words of [
    "house_style: short",
    "Never run: rm -rf",
    "publishing",
    "Use black ink.",
    "kept.txt",
    "Do not touch: own.txt",
  ]) {
    expect(told).toContain(words);
  }
});
