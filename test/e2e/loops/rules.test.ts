import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Lab, openLab } from "../../lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

/** One builder; the goal is a feature, and a rule guards what was there before. */
function loopFile(outside: string, gates: string): string {
  return `name: feature
intent:
  prerequisites: []
  goals: [{name: feature, description: Add the feature.}]
execution:
  graph: {nodes: [{id: build, role: builder, instruction: Build it., goals: [feature]}]}
  providers:
    providers: [{id: worker, kind: byok, command: /bin/sh, args: ["${join(outside, "worker.sh")}", "{prompt}"]}]
safety:
  checks:
    - {target: feature, name: built, mode: objective, statement: The feature is there., detector: {type: script, command: grep, args: ["-q", "feature", "code.txt"]}}
  gates:
    stop: {max_iterations: 4}
${gates}`;
}

const SUITE =
  '{id: suite, statement: The old text is there., detector: {type: script, command: grep, args: ["-q", "old", "code.txt"]}';

async function start(opened: Lab) {
  return opened.run(["loop", "start", "loop.yaml", "--allow-unknown-cost", "--json"]);
}

test("a round that breaks a rollback rule is undone, and the next one is told", async () => {
  lab = openLab({ "code.txt": "old\n" });
  const { outside } = lab;
  writeFileSync(
    join(outside, "worker.sh"),
    `printf '%s\\n---\\n' "$1" >> ${outside}/prompts
cat code.txt >> ${outside}/seen
if test -e ${outside}/again; then echo feature >> code.txt; else echo feature > code.txt; echo x > litter.txt; fi
touch ${outside}/again; echo done`,
  );
  lab.repo.write({ "loop.yaml": loopFile(outside, `    rollback: [${SUITE}, on_fail: rollback}]\n`) });
  const done = await start(lab);
  expect({ exit: done.exit, stderr: done.stderr }).toMatchObject({ exit: 0 });
  expect(readFileSync(join(outside, "seen"), "utf8")).toBe("old\nold\n");
  expect(readFileSync(join(lab.repo.dir, "code.txt"), "utf8")).toBe("old\nfeature\n");
  expect(() => readFileSync(join(lab?.repo.dir ?? "", "litter.txt"))).toThrow("ENOENT");
  const [, second] = readFileSync(join(outside, "prompts"), "utf8").split("---\n");
  expect(second).toContain("All changes of that try were undone, since suite did not hold");
});

test("a rule that stops ends the session at the round that breaks it, with the files as they are", async () => {
  lab = openLab({ "code.txt": "old\n" });
  writeFileSync(join(lab.outside, "worker.sh"), "echo feature > code.txt");
  lab.repo.write({ "loop.yaml": loopFile(lab.outside, `    rollback: [${SUITE}, on_fail: stop}]\n`) });
  const done = await start(lab);
  expect(done.json()).toMatchObject({ problem: { code: "rollback-rule" } });
  expect(readFileSync(join(lab.repo.dir, "code.txt"), "utf8")).toBe("feature\n");
});

test("an entry rule is looked at in the folder before anything runs, again at a resume, and a warning lets it run", async () => {
  lab = openLab({ "code.txt": "old\n" });
  const { outside } = lab;
  writeFileSync(
    join(outside, "worker.sh"),
    `echo ran >> ${outside}/ran; echo feature >> code.txt; echo done`,
  );
  const rule =
    "{id: ready, statement: The flag is up., detector: {type: file_exists, path: flag.txt}, on_fail: stop}";
  const hint =
    "{id: tidy, statement: No litter lies about., detector: {type: file_exists, path: tidy.txt}, on_fail: warn}";
  lab.repo.write({ "loop.yaml": loopFile(outside, `    entry: [${rule}, ${hint}]\n`) });
  const refused = await start(lab);
  expect(refused.json()).toMatchObject({ problem: { code: "entry-rule" } });
  expect(JSON.stringify(refused.json())).toContain("The flag is up.");
  expect(() => readFileSync(join(outside, "ran"))).toThrow("ENOENT");
  lab.repo.write({ "flag.txt": "up\n" });
  const resumed = await lab.run(["loop", "resume", "--json"]);
  expect({ exit: resumed.exit, stderr: resumed.stderr }).toMatchObject({ exit: 0 });
  expect(JSON.stringify(resumed.json())).toContain("rule tidy does not hold");
});
