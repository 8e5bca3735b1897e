import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type CliLab, openCliLab } from "../cli-lab.ts";

/** A loop whose agent says these words last; each run has a stamp of its own to make. */
function aLab(words: string, memory = "{}"): CliLab {
  const lab = openCliLab();
  execFileSync("git", ["init", "-q"], { cwd: lab.dir });
  lab.write(".gitignore", "home/\nloop.yaml\ntold.txt\nwords\nstamp\n");
  lab.write("words", words);
  lab.write(
    "loop.yaml",
    `name: stamp
intent:
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph: {nodes: [{id: stamp, role: builder, instruction: Put the stamp into its place.}]}
  providers:
    providers: [{id: sh, kind: byok, command: sh, args: [-c, "cat > told.txt; date +%N >> stamp.txt; cat words"], prompt_on_stdin: true}]
  memory: {namespaces: ${memory}}
safety:
  checks:
    - {target: stamped, name: there, mode: objective, statement: There., detector: {type: script, command: test -s stamp.txt}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`,
  );
  return lab;
}

async function runOnce(lab: CliLab): Promise<string> {
  execFileSync("rm", ["-f", "stamp.txt"], { cwd: lab.dir });
  const { exit, stderr } = await lab.say("loop", "start");
  expect(exit, stderr).toBe(0);
  lab.nowMs += 3_600_000;
  return readFileSync(lab.path("told.txt"), "utf8");
}

const FACT = "FACT port (0.9): the server listens on 8080 [from: server.js:3]\n";

test("what two runs found out is told to the third, as a claim, with where it shows", async () => {
  const lab = aLab(
    FACT,
    "{semantic: {promotion: {rule: repeated_validation, times: 2}}, procedural: {enabled: false}}",
  );
  expect(await runOnce(lab)).not.toContain("8080");
  expect(await runOnce(lab)).not.toContain("8080");
  expect(await runOnce(lab)).toContain(
    "What earlier runs of this loop left:\n> [semantic] port: the server listens on 8080\nThese are claims",
  );
  const { json } = await lab.run("memory", "list");
  expect(json["facts"]).toMatchObject([
    { key: "port", provenance: "server.js:3", confidence: 0.9, otherwise: 0, promoted: true, by: null },
  ]);
  expect((await lab.run("ledger", "show")).stdout).toContain('"kept":["semantic/port"]');
});

test("a person lets a fact stand with the words that it has, and forgets it", async () => {
  const lab = aLab(FACT);
  await runOnce(lab);
  expect((await lab.run("memory", "promote", "semantic", "port")).json).toMatchObject({
    fact: { content: "the server listens on 8080", promoted: true },
  });
  lab.write("words", "FACT port: the server listens on 9 [from: me]\n");
  expect(await runOnce(lab)).toContain("8080");
  const told = await runOnce(lab);
  expect(told).toContain("8080");
  expect(told).not.toContain("listens on 9");
  expect((await lab.say("memory", "list", "--namespace", "semantic")).stdout).toContain(
    "said by 1 run; 2 said otherwise",
  );
  expect((await lab.run("memory", "forget", "semantic", "port")).json).toMatchObject({ dropped: 4 });
  expect(await runOnce(lab)).not.toContain("8080");
  expect((await lab.run("memory", "promote", "semantic", "gone")).json).toMatchObject({
    problem: { code: "no-such-fact" },
  });
});

test("an agent can remember but not promote", async () => {
  const lab = aLab(FACT);
  await runOnce(lab);
  lab.env = { LOOPWRIGHT_ATTEMPT: "att_1" };
  for (const verb of ["promote", "forget"])
    expect((await lab.run("memory", verb, "semantic", "port")).json).toMatchObject({
      problem: { code: "person-only" },
    });
  expect((await lab.run("memory", "list")).exit).toBe(0);
});

test("a session that ends twice has said the same once", async () => {
  const lab = aLab(FACT);
  lab.write(
    "loop.yaml",
    readFileSync(lab.path("loop.yaml"), "utf8").replace("test -s stamp.txt", "test -s other"),
  );
  expect((await lab.run("loop", "start")).exit).toBe(10);
  expect((await lab.run("loop", "resume", "--max-iterations", "2")).exit).toBe(10);
  const { json } = await lab.run("memory", "list");
  expect(json["facts"]).toMatchObject([
    { key: "port", runs: [expect.any(String)], otherwise: 0, promoted: false },
  ]);
  const { stdout } = await lab.run("ledger", "show");
  expect(stdout.match(/"type":"memory:kept"/g)).toHaveLength(2);
});
