import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type CliLab, openCliLab } from "../cli-lab.ts";

/** A loop whose agent reaches the goal only when it is told of the skill `pdf`. */
function aLab(
  evolution = "{}",
  script = "cat > told.txt; if grep -q skills/pdf told.txt; then date +%N > stamp.txt; fi",
): CliLab {
  const lab = openCliLab();
  execFileSync("git", ["init", "-q"], { cwd: lab.dir });
  lab.write(".gitignore", "home/\nloop.yaml\ntold.txt\nwords\n.claude/\n");
  lab.write("words", "");
  mkdirSync(lab.path(".claude/skills/pdf"), { recursive: true });
  lab.write(".claude/skills/pdf/SKILL.md", "how to stamp");
  lab.write(
    "loop.yaml",
    `name: stamp
features: {self_evolution: true}
intent:
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph:
    nodes:
      - id: stamp # the one that works
        role: builder
        instruction: Put the stamp into its place.
  providers:
    providers: [{id: sh, kind: byok, command: sh, args: [-c, ${JSON.stringify(`${script}; cat words`)}], prompt_on_stdin: true}]
  skills: {explore: true, explore_candidates: [pdf, gone], min_trials: 3}
safety:
  checks:
    - {target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
evolution: ${evolution}
`,
  );
  return lab;
}

async function runs(lab: CliLab, count: number): Promise<readonly string[]> {
  const said: string[] = [];
  for (let n = 0; n < count; n += 1) {
    execFileSync("rm", ["-f", "stamp.txt"], { cwd: lab.dir });
    const { exit, stderr } = await lab.say("loop", "start");
    expect([0, 10], stderr).toContain(exit);
    said.push(/trial: .*/.exec(stderr)?.[0] ?? "");
    lab.nowMs += 60_000;
  }
  return said;
}

test("a skill is tried in pairs of runs, is proposed once they speak for it, and a person applies it", async () => {
  const lab = aLab("{enabled: true, baseline: {completion_rate: 0.9}}");
  const said = await runs(lab, 2);
  expect(said.toSorted()).toEqual([
    "trial: use pdf, pair 1, this run with it",
    "trial: use pdf, pair 1, this run without it",
  ]);
  expect((await lab.run("proposals", "list")).json).toMatchObject({ proposals: [] });
  for (
    let n = 0;
    n < 9 && ((await lab.run("proposals", "list")).json["proposals"] as unknown[]).length === 0;
    n += 1
  )
    await runs(lab, 2);
  const { json } = await lab.run("proposals", "list");
  expect(json["proposals"]).toMatchObject([
    {
      kind: "adopt_skill",
      patch: { path: "execution.graph.nodes[stamp].skills", value: ["pdf"] },
      admitted: true,
      verdict: "adopt",
      losses: 0,
      regression: { is: "held" },
    },
  ]);
  const [{ id }] = json["proposals"] as readonly [{ id: string }];
  expect(await runs(lab, 1)).toEqual([""]);
  expect((await lab.run("proposals", "apply", id)).json).toMatchObject({ problem: { code: "needs-answer" } });
  lab.env = { LOOPWRIGHT_ATTEMPT: "att_1" };
  expect((await lab.run("proposals", "apply", id, "--yes")).json).toMatchObject({
    problem: { code: "person-only" },
  });
  lab.env = {};
  expect((await lab.run("proposals", "apply", id, "--yes")).exit).toBe(0);
  const text = readFileSync(lab.path("loop.yaml"), "utf8");
  expect(text).toContain("# the one that works");
  expect(text).toMatch(/skills:\s+- pdf/);
}, 120_000);

test("what an agent suggests waits for a person, and what is protected, worse or wrong is refused", async () => {
  const lab = aLab("{enabled: true}", "cat > told.txt");
  const suggest = async (line: string): Promise<Readonly<Record<string, unknown>>> => {
    lab.write("words", `Tried.\n${line}\n`);
    await runs(lab, 1);
    const { json } = await lab.run("proposals", "list");
    const [first] = json["proposals"] as readonly Readonly<Record<string, unknown>>[];
    return first ?? {};
  };
  const told = await suggest(
    'PROPOSE execution.graph.nodes[stamp].instruction = "Use ink." [because: it was dry]',
  );
  expect(readFileSync(lab.path("told.txt"), "utf8")).toContain("a person decides:\nPROPOSE");
  expect(told).toMatchObject({
    kind: "suggestion",
    rationale: "stamp suggests it: it was dry",
    admitted: true,
    verdict: null,
  });
  const id = String(told["id"]);
  expect((await lab.run("proposals", "apply", id, "--yes")).json).toMatchObject({
    problem: { code: "not-admitted", message: "no paired trial speaks for it" },
  });
  expect((await lab.run("proposals", "apply", id, "--yes", "--unproved")).exit).toBe(0);
  const changed = readFileSync(lab.path("loop.yaml"), "utf8");
  expect(changed).toContain("instruction: Use ink.");
  expect((await lab.run("proposals", "apply", id, "--undo", "--yes")).exit).toBe(0);
  expect(readFileSync(lab.path("loop.yaml"), "utf8")).toContain("instruction: Put the stamp into its place.");
  expect((await lab.run("proposals", "apply", id, "--undo", "--yes")).json).toMatchObject({
    problem: { code: "not-admitted", message: expect.stringContaining("was changed since") },
  });

  const limits = await suggest("PROPOSE safety.gates.stop.max_iterations = 99");
  expect(limits).toMatchObject({ admitted: false, refused_because: "safety.gates is protected" });
  expect(
    (await lab.run("proposals", "apply", String(limits["id"]), "--yes", "--unproved")).json,
  ).toMatchObject({
    problem: { code: "not-admitted", message: "safety.gates is protected" },
  });
  const wrong = await suggest('PROPOSE execution.graph.nodes[stamp].skills = "pdf"');
  expect(
    (await lab.run("proposals", "apply", String(wrong["id"]), "--yes", "--unproved")).json,
  ).toMatchObject({
    problem: { code: "not-admitted" },
  });
  lab.nowMs = Date.now() + 40 * 24 * 3_600_000;
  expect((await lab.run("proposals", "list")).json).toMatchObject({ proposals: [] });
}, 120_000);
