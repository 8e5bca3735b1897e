import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commitAll } from "../../src/testing/inline-repo.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

const KINDS = ["gemini", "grok_cli", "grok-build", "hermes", "ollama", "Gemini", "custom"] as const;

/** One piece for each kind, each with a program that writes down how it was started. */
function aLab(): CliLab {
  const lab = openCliLab();
  mkdirSync(lab.path("home/seen"), { recursive: true });
  const program = (name: string) => {
    const path = lab.path(`home/${name}`);
    writeFileSync(
      path,
      `#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word" | head -1; done > ${lab.path(`home/seen/${name}`)}\ncat >> ${lab.path(`home/seen/${name}.stdin`)}\necho done\n`,
    );
    chmodSync(path, 0o755);
    return path;
  };
  const ids = KINDS.map((_kind, index) => `p${index}`);
  const nodes = ids.map(
    (id) =>
      `{id: ${id}, role: builder, provider: ${id}, instruction: Do it as well as you can., goals: [done]}`,
  );
  const providers = KINDS.map(
    (kind, index) => `{id: p${index}, kind: ${kind}, command: ${program(`p${index}`)}, model: m1}`,
  );
  lab.write(".gitignore", "home/\n");
  lab.write(
    "loop.yaml",
    `name: kinds
intent:
  prerequisites: [{step: Done once by hand, done: true}]
  goals: [{name: done, description: Each was started once.}]
execution:
  graph: {nodes: [${nodes.join(", ")}]}
  providers: {providers: [${providers.join(", ")}]}
safety:
  checks:
    - {target: done, name: all, mode: objective, statement: All., detector: {type: script, command: sh, args: [-c, "test ! -e never.txt && test -e now.txt"]}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`,
  );
  commitAll(lab.dir);
  return lab;
}

test("a kind without arguments is started as its makers say, with its model and what its piece may do", async () => {
  const lab = aLab();
  await lab.run("loop", "start", "--allow-unknown-cost");
  const seen = (id: string) => {
    const words = readFileSync(lab.path(`home/seen/${id}`), "utf8")
      .trimEnd()
      .split("\n");
    return words.map((word) => (word.length > 30 || word.includes(" ") ? "TASK" : word)).join(" ");
  };
  const gemini = "-p TASK -m m1 --approval-mode auto_edit";
  expect(KINDS.map((_, index) => seen(`p${index}`))).toEqual([
    gemini,
    "-p TASK -m m1",
    "-p TASK -m m1",
    "chat --oneshot -q TASK -m m1",
    "run m1",
    gemini,
    "",
  ]);
  const fed = KINDS.map((_, index) => readFileSync(lab.path(`home/seen/p${index}.stdin`), "utf8") !== "");
  expect(fed).toEqual([false, false, false, false, true, false, true]);
  expect(existsSync(lab.path("never.txt"))).toBe(false);
});

test("what such programs spend is estimated by length and has no price", async () => {
  const lab = aLab();
  await lab.run("loop", "start", "--allow-unknown-cost");
  const { json: status } = await lab.run("status");
  expect(status).toMatchObject({ cost_usd: null, unknown_costs: KINDS.length });
});
