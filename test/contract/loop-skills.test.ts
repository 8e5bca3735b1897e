import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openCliLab } from "../cli-lab.ts";

const LOOP = `name: skilled
intent: {goals: [{name: there, description: It is there.}]}
execution:
  graph: {nodes: [{id: build, role: builder, instruction: Make it., skills: [pdf, mail, new, ../../etc]}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, "cat > told.txt; echo made > made"], prompt_on_stdin: true}]}
safety:
  checks: [{target: there, name: there, mode: objective, statement: There., detector: {type: file_exists, path: made}}]
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`;

test("a piece is told where its skills lie; one in quarantine waits for a person, and nothing is fetched", async () => {
  const lab = openCliLab();
  execFileSync("git", ["init", "-q"], { cwd: lab.dir });
  lab.write("loop.yaml", LOOP);
  lab.write(".gitignore", "home/\n");
  for (const [folder, text] of [
    [".claude/skills/pdf", "in the project"],
    [".agents/skills/mail", "in the project too"],
    ["generated-skills/new", "nobody looked at it"],
  ] as const) {
    mkdirSync(lab.path(folder), { recursive: true });
    lab.write(`${folder}/SKILL.md`, text);
  }
  execFileSync("git", ["add", "."], { cwd: lab.dir });
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x"], {
    cwd: lab.dir,
  });
  const said = await lab.say("loop", "start");
  expect(said.exit, said.stderr).toBe(0);
  expect(said.stderr).toContain(
    "build: the skill new is in quarantine (generated-skills/new); let it out with: loopwright skills promote new",
  );
  expect(said.stderr).toContain("build: the skill ../../etc is not installed");
  const told = readFileSync(lab.path("told.txt"), "utf8");
  expect(told).toContain(
    "Skills for this, read first: .claude/skills/pdf/SKILL.md, .agents/skills/mail/SKILL.md\n",
  );
  expect(told).not.toContain("generated-skills");
});
