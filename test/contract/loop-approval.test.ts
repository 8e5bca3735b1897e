import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { commitAll } from "../../src/testing/inline-repo.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

/** One builder whose session a person, or what lies in the folder, must allow. */
function aLab(...approvals: readonly string[]): CliLab {
  const lab = openCliLab();
  lab.write(".gitignore", "home/\n");
  lab.write(
    "loop.yaml",
    `name: stamp
intent:
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph: {nodes: [{id: stamp, role: builder, instruction: Put the stamp into its place., goals: [stamped]}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, "cat > /dev/null; echo x > stamp.txt"], prompt_on_stdin: true}]}
safety:
  checks:
    - {target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}
  gates: {stop: {max_iterations: 2, max_wall_clock_seconds: 60}, approval: [${approvals.join(", ")}]}
`,
  );
  commitAll(lab.dir);
  return lab;
}

const SIGNED = "detector: {type: file_exists, path: signed.txt}";
const rule = (more: string) => `{id: signed, statement: The order is signed., ${more}}`;

test("an approval whose detector holds asks nobody", async () => {
  const lab = aLab(rule(SIGNED));
  lab.write("signed.txt", "yes\n");
  expect((await lab.run("loop", "start")).exit).toBe(0);
  expect((await lab.run("ledger", "show")).stdout).toContain('"rule:answered"');
});

test("an approval whose detector says no waits for a person, and is looked at again on a resume", async () => {
  const lab = aLab(rule(SIGNED));
  const waits = await lab.run("loop", "start");
  expect({ exit: waits.exit, stamp: existsSync(lab.path("stamp.txt")) }).toEqual({ exit: 11, stamp: false });
  expect(waits.stdout).toContain("The order is signed. (its detector says no");
  expect((await lab.run("loop", "resume")).exit).toBe(11);
  lab.write("signed.txt", "yes\n");
  expect((await lab.run("loop", "resume")).exit).toBe(0);
});

test("what cannot be looked at asks a person, even where it would only warn", async () => {
  const broken = "detector: {type: script, command: no-such-program-here}";
  const lab = aLab(rule(`${broken}, on_fail: warn`));
  expect((await lab.run("loop", "start")).exit).toBe(11);
  expect((await lab.run("loop", "approve")).exit).toBe(0);
  expect((await lab.run("loop", "resume")).exit).toBe(0);
});

test("an approval that warns goes on with a notice when it does not hold", async () => {
  const { exit, stdout } = await aLab(rule(`${SIGNED}, on_fail: warn`)).run("loop", "start");
  expect(exit).toBe(0);
  expect(stdout).toContain("rule signed does not hold: The order is signed.");
});

test("a person's no comes before what the detector sees, and leaves the state that the file names", async () => {
  const lab = aLab(rule(`${SIGNED}, on_fail: pause`));
  expect((await lab.run("loop", "start")).exit).toBe(11);
  lab.write("signed.txt", "yes\n");
  expect((await lab.run("loop", "approve", "--refuse")).exit).toBe(0);
  await lab.run("loop", "resume");
  expect((await lab.run("status")).json).toMatchObject({ outcome: "paused", satisfied: false });
  expect(existsSync(lab.path("stamp.txt"))).toBe(false);
  expect((await lab.run("loop", "resume")).exit).toBe(0);
});
