import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commitAll } from "../../src/testing/inline-repo.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

interface Made {
  readonly recovery: string;
  /** What the first provider runs, and the one that could stand in for it. */
  readonly script: string;
  readonly other?: string;
  readonly judge?: string;
  /** Who answers when the judge's words do not count. */
  readonly secondJudge?: string;
  readonly rounds?: number;
}

/** A builder, perhaps a judge; `home/` is the agents' own and no part of the tree. */
function aLab({ recovery, script, other = "exit 1", judge, secondJudge = "true", rounds = 1 }: Made): CliLab {
  const lab = openCliLab();
  lab.write(".gitignore", "home/\nloop.yaml\nown/\n");
  lab.write("kept.txt", "as it was\n");
  const sh = (id: string, line: string) =>
    `{id: ${id}, kind: byok, model: ${id}, command: sh, args: [-c, ${JSON.stringify(`cat > /dev/null; mkdir -p own; ${line}`)}], prompt_on_stdin: true}`;
  const judging =
    judge === undefined
      ? ""
      : ", {id: judge, role: judge, instruction: Judge the stamp., tier: strong, depends_on: [stamp]}";
  const judged =
    judge === undefined
      ? ""
      : "\n    - {target: stamped, name: fine, mode: subjective, statement: Fine., detector: {type: judge, standard: It is fine.}}";
  lab.write(
    "loop.yaml",
    `name: stamp
intent:
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph: {nodes: [{id: stamp, role: builder, instruction: Put the stamp into its place., goals: [stamped]}${judging}]}
  providers:
    cascade: {standard: [first, other], strong: [judge, second]}
    providers: [${sh("first", script)}, ${sh("other", other)}, ${sh("judge", judge ?? "true")}, ${sh("second", secondJudge)}]
safety:
  checks:
    - {target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}${judged}
  gates: {stop: {max_iterations: ${rounds}, max_wall_clock_seconds: 60}}
  recovery: {${recovery}}
`,
  );
  commitAll(lab.dir);
  return lab;
}

const FAILS_ONCE = "test -e own/again || { touch own/again; echo broken >&2; exit 1; }; echo x > stamp.txt";
const outcome = async (lab: CliLab) => (await lab.run("status")).json["outcome"];

test("an agent that fails is tried again in the same round where the file asks for it", async () => {
  const recovery = "tool_unavailable: {action: retry, max_attempts: 2, base_delay_seconds: 0}";
  const lab = aLab({ recovery, script: FAILS_ONCE });
  expect((await lab.run("loop", "start")).exit).toBe(0);
  expect((await lab.run("status")).json).toMatchObject({ iteration: 1, satisfied: true });
});

test("an agent that fails ends the session as the file says, and nobody stands in", async () => {
  const recovery = "tool_unavailable: {action: pause}";
  const lab = aLab({ recovery, script: FAILS_ONCE, other: "touch own/other; echo x > stamp.txt" });
  const { exit, json } = await lab.run("loop", "start");
  expect({ exit, json }).toMatchObject({ exit: 12, json: { problem: { code: "provider-failed" } } });
  expect({ outcome: await outcome(lab), other: existsSync(lab.path("own/other")) }).toEqual({
    outcome: "paused",
    other: false,
  });
  expect((await lab.run("loop", "resume")).exit).toBe(0);
});

test("a checkpoint that is restored gives the files back as the round found them, what it undid can be had, and a resume does it again", async () => {
  const litter = "echo changed > kept.txt; echo x > litter.txt";
  const recovery = "tool_unavailable: {action: restore_checkpoint}";
  const lab = aLab({ recovery, script: `${litter}; ${FAILS_ONCE}` });
  expect((await lab.run("loop", "start")).exit).toBe(12);
  expect(await outcome(lab)).toBe("rolled_back");
  expect(readFileSync(lab.path("kept.txt"), "utf8")).toBe("as it was\n");
  expect(existsSync(lab.path("litter.txt"))).toBe(false);
  const undone = await lab.run("loop", "restore", "1", "--to", "1", "--yes");
  expect([undone.exit, readFileSync(lab.path("litter.txt"), "utf8")]).toEqual([0, "x\n"]);
  const back = await lab.run("loop", "restore", "1", "--to", String(undone.json["before"]), "--yes");
  expect([back.exit, existsSync(lab.path("litter.txt"))]).toEqual([0, false]);
  const unknown = await lab.run("loop", "restore", "1", "--to", "0".repeat(64), "--yes");
  expect(unknown.json).toMatchObject({ problem: { code: "bad-flag" } });
  expect((await lab.run("loop", "resume")).exit).toBe(0);
  expect(readFileSync(lab.path("kept.txt"), "utf8")).toBe("changed\n");
});

test("a ceiling that restores the checkpoint leaves no half of a round behind", async () => {
  const recovery = "resource_exhaustion: {action: restore_checkpoint}";
  const lab = aLab({ recovery, script: "echo half > kept.txt" });
  expect((await lab.run("loop", "start")).exit).toBe(10);
  expect(await outcome(lab)).toBe("rolled_back");
  expect(readFileSync(lab.path("kept.txt"), "utf8")).toBe("as it was\n");
});

test("a judge without words that count ends the session where the file says so, and is asked again on a resume", async () => {
  const words = "VERDICT: fine PASS\\nSTANDARD: it is fine\\nEVIDENCE: stamp.txt holds x\\n";
  const lab = aLab({
    recovery: "invalid_output: {action: escalate}",
    script: "echo x >> stamp.txt",
    judge: `test -e own/asked && printf '${words}'; touch own/asked`,
  });
  const { exit, json } = await lab.run("loop", "start");
  expect({ exit, json }).toMatchObject({ exit: 12, json: { problem: { code: "verdict-void" } } });
  expect(await outcome(lab)).toBe("escalated");
  const resumed = await lab.run("loop", "resume");
  expect({ exit: resumed.exit, stderr: resumed.stderr }).toMatchObject({ exit: 0 });
  expect(readFileSync(lab.path("stamp.txt"), "utf8")).toBe("x\n");
});

const VOID = "echo void >> own/voids";
const PASSES = "printf 'VERDICT: fine PASS\\nSTANDARD: it is fine\\nEVIDENCE: stamp.txt holds x\\n'";

test("another judge is asked where the file says so and the words of the first do not count", async () => {
  const recovery = "invalid_output: {action: fallback}";
  const lab = aLab({ recovery, script: "echo x >> stamp.txt", judge: VOID, secondJudge: PASSES, rounds: 2 });
  expect((await lab.run("loop", "start")).exit).toBe(0);
  expect(readFileSync(lab.path("stamp.txt"), "utf8")).toBe("x\n");
  expect(readFileSync(lab.path("own/voids"), "utf8")).toBe("void\n");
});

test("once no judge's words have counted the work goes again, and each judge is asked once for each round", async () => {
  const recovery = "invalid_output: {action: fallback}";
  const lab = aLab({ recovery, script: "echo x >> stamp.txt", judge: VOID, secondJudge: VOID, rounds: 4 });
  expect((await lab.run("loop", "start")).exit).toBe(10);
  expect(readFileSync(lab.path("stamp.txt"), "utf8")).toBe("x\nx\n");
  expect(readFileSync(lab.path("own/voids"), "utf8")).toBe("void\n".repeat(4));
});
