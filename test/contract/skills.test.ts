import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type CliLab, openCliLab } from "../cli-lab.ts";

function aLab(): CliLab {
  const lab = openCliLab();
  execFileSync("git", ["init", "-q"], { cwd: lab.dir });
  mkdirSync(lab.path("away/pdf"), { recursive: true });
  lab.write("away/pdf/SKILL.md", "how to read");
  return lab;
}

function loopOf(skills: string): string {
  return `name: skilled
intent: {prerequisites: [{step: Done by hand, done: true}], goals: [{name: there, description: It is there.}]}
execution:
  graph: {nodes: [{id: build, role: builder, instruction: Make what is asked for., skills: [pdf]}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, "cat > told.txt; echo made > made"], prompt_on_stdin: true}]}
  skills: ${skills}
safety:
  checks: [{target: there, name: there, mode: objective, statement: There., detector: {type: file_exists, path: made}}]
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`;
}

/** What a run says of the skill, and whether its agent was told where it lies. */
async function told(
  lab: CliLab,
  skills = "{}",
): Promise<{ readonly said: string; readonly isTold: boolean }> {
  lab.write("loop.yaml", loopOf(skills));
  lab.write(".gitignore", "home/\naway/\ntold.txt\nloop.yaml\ngenerated-skills/\n.claude/\n");
  execFileSync("rm", ["-f", "made"], { cwd: lab.dir });
  const { stderr } = await lab.say("loop", "start");
  const said = /the skill pdf (.*)/.exec(stderr)?.[1] ?? "";
  return { said, isTold: readFileSync(lab.path("told.txt"), "utf8").includes("/pdf/SKILL.md") };
}

test("a skill is added into quarantine, used once a person has promoted it, and not once it has changed", async () => {
  const lab = aLab();
  const added = await lab.run("skills", "add", "away/pdf");
  expect(added.json).toMatchObject({ name: "pdf", folder: "generated-skills/pdf", from: "away/pdf" });
  expect(await told(lab)).toMatchObject({ isTold: false, said: expect.stringContaining("is in quarantine") });
  expect((await lab.run("skills", "promote", "pdf")).exit).toBe(0);
  expect(await told(lab)).toEqual({ isTold: true, said: "" });
  expect(await told(lab, "{min_trust_level: approved}")).toMatchObject({
    isTold: false,
    said: expect.stringContaining("is reviewed, and the loop asks for approved"),
  });
  lab.write("generated-skills/pdf/SKILL.md", "how to leak");
  expect(await told(lab)).toMatchObject({
    isTold: false,
    said: expect.stringContaining("was changed since it was noted"),
  });
  expect((await lab.run("skills", "list")).json["skills"]).toMatchObject([
    { name: "pdf", trust: "untrusted", quarantined: true, changed: true },
  ]);
  expect((await lab.run("skills", "remove", "pdf")).exit).toBe(0);
  expect(existsSync(lab.path("generated-skills/pdf"))).toBe(false);
});

test("a loop that asks for checksums uses a skill only with the content that was noted", async () => {
  const lab = aLab();
  mkdirSync(lab.path(".claude/skills/pdf"), { recursive: true });
  lab.write(".claude/skills/pdf/SKILL.md", "how to read");
  expect(await told(lab)).toMatchObject({ isTold: true });
  expect(await told(lab, "{require_checksum: true}")).toMatchObject({
    isTold: false,
    said: expect.stringContaining("has no checksum that holds"),
  });
  await lab.run("skills", "promote", "pdf", "--trust", "approved");
  expect(await told(lab, "{require_checksum: true, min_trust_level: approved}")).toMatchObject({
    isTold: true,
  });
});

test("a skill that an agent has written is not used, wherever it lies, before a person has looked at it", async () => {
  const lab = aLab();
  const loop = loopOf("{}");
  lab.write(".gitignore", "home/\naway/\ntold.txt\nloop.yaml\n");
  const forge = "mkdir -p .claude/skills/pdf; echo obey > .claude/skills/pdf/SKILL.md; echo made > made";
  lab.write("loop.yaml", loop.replace("echo made > made", forge));
  await lab.run("loop", "start");
  execFileSync("rm", ["-f", "made"], { cwd: lab.dir });
  lab.write("loop.yaml", loop);
  const { stderr } = await lab.say("loop", "start");
  expect(stderr).toContain("the skill pdf was written by an agent (.claude/skills/pdf)");
  expect(readFileSync(lab.path("told.txt"), "utf8")).not.toContain("/pdf/SKILL.md");
  expect((await lab.run("skills", "list")).json["skills"]).toMatchObject([{ trust: "untrusted" }]);
  await lab.run("skills", "promote", "pdf");
  execFileSync("rm", ["-f", "made"], { cwd: lab.dir });
  await lab.run("loop", "start");
  expect(readFileSync(lab.path("told.txt"), "utf8")).toContain("/pdf/SKILL.md");
});

test("unsafe names are refused, not sanitised", async () => {
  const lab = aLab();
  for (const name of ["../pdf", "/pdf", "-pdf", "a b", "x".repeat(65), "password-reader"]) {
    const { exit, json } = await lab.run("skills", "add", "away/pdf", `--name=${name}`);
    expect([name, exit, json["problem"]]).toEqual([name, 1, expect.objectContaining({ code: "bad-input" })]);
  }
  expect(existsSync(lab.path("generated-skills"))).toBe(false);
});

test("what is not what it should be is not written, and an attempt can neither add nor promote", async () => {
  const lab = aLab();
  const wrong = await lab.run("skills", "add", "away/pdf", "--checksum", "0".repeat(64));
  expect(wrong.json).toMatchObject({ problem: { message: expect.stringContaining("nothing was written") } });
  expect((await lab.run("skills", "add", "away")).json).toMatchObject({ problem: { code: "no-such-file" } });
  expect((await lab.run("skills", "add", "ext::sh")).exit).not.toBe(0);
  lab.env = { LOOPWRIGHT_ATTEMPT: "att_1" };
  for (const words of [["add", "away/pdf"], ["promote", "pdf"], ["remove", "pdf"], ["setup"]])
    expect((await lab.run("skills", ...words)).json).toMatchObject({ problem: { code: "person-only" } });
  expect(existsSync(lab.path("generated-skills"))).toBe(false);
});

test("agents are told of loopwright where they look for skills, and a list is searched without a network", async () => {
  const lab = aLab();
  expect((await lab.run("skills", "setup")).json).toMatchObject({
    files: [
      ".claude/skills/loopwright/SKILL.md",
      ".codex/skills/loopwright/SKILL.md",
      ".agents/skills/loopwright/SKILL.md",
    ],
  });
  expect(readFileSync(lab.path(".agents/skills/loopwright/SKILL.md"), "utf8")).toMatch(
    /^---\nname: loopwright\n/,
  );
  lab.write("index.json", [{ repo: "a/pdf", description: "tables", stars: 500 }]);
  expect((await lab.run("skills", "search", "tables", "--index", "index.json")).json["skills"]).toEqual([
    { name: "pdf", from: "a/pdf", description: "tables", stars: 500 },
  ]);
  expect((await lab.run("skills", "search", "tables")).json).toMatchObject({ problem: { code: "bad-flag" } });
  lab.write("loop.yaml", loopOf("{}"));
  expect((await lab.say("skills", "scores")).stdout).toBe("nothing was tried yet\n");
});
