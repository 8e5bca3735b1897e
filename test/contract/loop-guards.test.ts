import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProcessRunner } from "../../src/adapters/process/index.ts";
import { createSessionFiles } from "../../src/adapters/session-files/index.ts";
import { must } from "../../src/core/result.ts";
import { guardsFor } from "../../src/run/guards.ts";
import { commitAll } from "../../src/testing/inline-repo.ts";
import { systemClock } from "../../src/testing/process-lab.ts";
import { openCliLab } from "../cli-lab.ts";
import { ledgerOf } from "../ledger-of.ts";

const toolPath = process.env["PATH"] ?? "";
const { canSandbox } = createProcessRunner({ clock: systemClock, host: hostname(), toolPath });

describe("a guard", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "loopwright-guards-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** What one of the programs, which say what they were given, answers behind the guards of `forbidden`. */
  async function answer(forbidden: readonly string[], name: string, ...words: readonly string[]) {
    const files = createSessionFiles(dir);
    const places = { bin: join(dir, "it's guards"), refused: join(dir, "refused") };
    const guards = guardsFor(forbidden, places).map((guard) => [guard.name, guard.script] as const);
    must(await files.writePrograms(places.bin, Object.fromEntries(guards), places.refused));
    const program = `#!/bin/sh\nprintf '%s|' "$@"\nexit 3\n`;
    must(await files.writePrograms(join(dir, "real"), { git: program, rm: program }, join(dir, "none")));
    const env = { PATH: `${places.bin}:${join(dir, "real")}` };
    const { status, stdout } = spawnSync("/usr/bin/env", [name, ...words], { env, encoding: "utf8" });
    return { status, stdout, refused: readFileSync(places.refused, "utf8") };
  }

  test.each([
    ["git push", ["git", "push"]],
    ["git push", ["git", "-C", "some where", "push", "origin"]],
    ["git push --force", ["git", "push", "origin", "--force"]],
    ["rm -rf", ["rm", "-rf", "a"]],
    ["rm -rf", ["rm", "-f", "a", "-r"]],
    ["rm -rf", ["rm", "-vfr", "a"]],
    ["git", ["git", "status"]],
    ["git it's", ["git", "it's"]],
  ] as const)("of `%s` refuses %j, and writes it down", async (forbidden, [name, ...words]) => {
    const told = await answer([forbidden, "git stash"], name, ...words);
    expect(told).toEqual({ status: 126, stdout: "", refused: `${forbidden}\n` });
  });

  test.each([
    ["git push", ["git", "pull", "a b", "*"]],
    ["git push --force", ["git", "push"]],
    ["rm -rf", ["rm", "-r", "a"]],
    ["rm -rf", ["rm", "--", "rf"]],
    ["/bin/odd; name", ["git", "push"]],
  ] as const)("of `%s` runs %j as it is", async (forbidden, [name, ...words]) => {
    const stdout = words.map((word) => `${word}|`).join("");
    expect(await answer([forbidden, "git stash"], name, ...words)).toEqual({
      status: 3,
      stdout,
      refused: "",
    });
  });
});

async function loopWith(isolation: string) {
  const lab = openCliLab();
  lab.env = { LOOPSMITH_DOCKER: "no-such-runtime" };
  lab.write(".gitignore", "home/\n");
  const script =
    "{ git push origin main; echo $?; git stash; echo $?; git log -1 --format=%s; } > seen.txt 2>&1; git push; exit 0";
  lab.write(
    "loop.yaml",
    `name: fenced
intent:
  prerequisites: []
  goals: [{name: seen, description: What was seen is written down.}]
execution:
  graph: {nodes: [{id: look, role: builder, instruction: Write down what you see., isolation: ${isolation}}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, ${JSON.stringify(script)}]}]}
safety:
  checks:
    - {target: seen, name: there, mode: objective, statement: There., detector: {type: file_exists, path: seen.txt}}
  limits: {global: {forbidden_commands: [git push]}, per_node: {look: {forbidden_commands: [git stash]}}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`,
  );
  commitAll(lab.dir);
  return lab;
}

const SEEN = `refused, the loop forbids it: git push
126
refused, the loop forbids it: git stash
126
start
`;

test.each([
  ["in the folder", "{mode: none}", true],
  ["in a sandbox", "{mode: container, network: false}", canSandbox],
] as const)(
  "an agent %s is refused what the loop and its piece forbid, and status tells of it",
  async (_where, isolation, isHere) => {
    if (!isHere) {
      process.stderr.write("SKIPPED for lack of bubblewrap: forbidden commands in a sandbox\n");
      return;
    }
    const lab = await loopWith(isolation);
    const done = await lab.run("loop", "start", "--allow-unknown-cost");
    expect(done.exit, done.stdout + done.stderr).toBe(0);
    expect(readFileSync(lab.path("seen.txt"), "utf8")).toBe(SEEN);
    expect(done.json["notices"]).toContain("forbidden commands were refused: git push, git stash");
    const ended = (await ledgerOf(lab)).find((event) => event.type === "attempt:ended");
    expect(ended?.data).toMatchObject({ refusedCommands: ["git push", "git stash"] });
  },
);
