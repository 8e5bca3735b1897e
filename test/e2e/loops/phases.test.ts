import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { validateOcp } from "../../../src/formats/ocp/index.ts";
import { type Lab, openLab } from "../../lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

/** Research, then writing that a judge reads; the research agent's first provider is not installed. */
function loopFile(outside: string): string {
  const shell = (name: string): string =>
    `{id: ${name}, kind: byok, command: ${join(outside, `${name}.sh`)}, args: ["{prompt}"], tiers: []}`;
  return `name: notes
intent:
  prerequisites: []
  goals:
    - {name: sources, description: Find two sources.}
    - {name: text, description: Write the text.}
  success: [{target: overall, name: done, mode: objective, statement: All of it.}]
execution:
  graph:
    nodes:
      - {id: find, role: researcher, instruction: Find sources., goals: [sources], stage: research, tier: cheap}
      - {id: write, role: builder, instruction: Write the text., goals: [text], stage: writing}
      - {id: read, role: judge, instruction: Read the text., goals: [text], stage: writing, depends_on: [write], provider: reader}
  phases:
    items:
      - {name: research, guideline: Collect sources and nothing else.}
      - {name: writing, guideline: Write from the sources alone.}
    dependency: ["research -> writing"]
  providers:
    providers:
      - {id: gone, kind: byok, command: /nowhere/agent, args: ["{prompt}"], tiers: []}
      - ${shell("worker")}
      - ${shell("reader")}
    cascade: {cheap: [gone, worker], standard: [worker]}
safety:
  checks:
    - {target: sources, name: two-sources, mode: objective, statement: There are two sources., detector: {type: script, command: sh, args: ["-c", "test $(wc -l < sources.txt) -ge 2"]}}
    - {target: text, name: written, mode: objective, statement: The text is there., detector: {type: file_exists, path: text.txt, non_empty: true}}
    - {target: text, name: voice, mode: subjective, statement: It sounds like us., detector: {type: judge, standard: style.md, min_score: 7}}
  gates: {stop: {max_iterations: 6}}
`;
}

function write(opened: Lab, name: string, script: string): void {
  writeFileSync(join(opened.outside, `${name}.sh`), `#!/bin/sh\n${script}`, { mode: 0o755 });
}

const told = (opened: Lab): readonly string[] =>
  readFileSync(join(opened.outside, "order"), "utf8").trim().split("\n");

test("phases follow each other, a judge sends work back, and the next provider stands in for one that is not there", async () => {
  lab = openLab({ "style.md": "short\n" });
  const { outside } = lab;
  write(
    lab,
    "worker",
    `case "$1" in
*"Find sources"*) echo find >> ${outside}/order; echo a source >> sources.txt ;;
*) echo write >> ${outside}/order; if grep -q flat ${outside}/said 2>/dev/null; then echo lively > text.txt; else echo flat > text.txt; fi ;;
esac
echo done`,
  );
  write(
    lab,
    "reader",
    `echo read >> ${outside}/order
if grep -q lively text.txt; then
  printf 'VERDICT: voice PASS\\nSTANDARD: style.md\\nEVIDENCE: text.txt:1 is lively\\nSCORE: 9\\n'
else
  echo flat > ${outside}/said
  printf 'VERDICT: voice FAIL\\nSTANDARD: style.md\\nEVIDENCE: text.txt:1 is flat\\nSCORE: 3\\n'
fi`,
  );
  lab.repo.write({ "loop.yaml": loopFile(outside) });
  const done = await lab.run(["loop", "start", "loop.yaml", "--allow-unknown-cost", "--json"]);
  expect({ exit: done.exit, stdout: done.stdout }).toMatchObject({ exit: 0 });
  const { outcome, notices } = done.json();
  expect(outcome).toBe("succeeded");
  expect(JSON.stringify(notices ?? [])).toContain("worker takes over");
  expect(told(lab)).toEqual(["find", "find", "write", "read", "write", "read"]);
  const listed = await lab.run(["runs", "--json", "--documents"]);
  const [run] = listed.json()["runs"] as readonly { readonly document: unknown }[];
  expect(validateOcp(run?.document).findings).toEqual([]);
  expect(JSON.stringify(run?.document)).toContain('"name":"review","value":"reject"');
});

test("a judge whose words do not count is asked again, and work that it never accepts is not done", async () => {
  lab = openLab({ "style.md": "short\n" });
  const { outside } = lab;
  write(lab, "worker", "printf 'a\\nb\\n' > sources.txt; echo text > text.txt; echo done");
  write(lab, "reader", `echo read >> ${outside}/order; echo 'VERDICT: voice PASS'`);
  lab.repo.write({ "loop.yaml": loopFile(outside) });
  const done = await lab.run(["loop", "start", "loop.yaml", "--allow-unknown-cost", "--json"]);
  expect(done.exit).not.toBe(0);
  expect(done.json()["outcome"]).not.toBe("succeeded");
  expect(told(lab).length).toBeGreaterThan(1);
  expect(existsSync(join(lab.repo.dir, "text.txt"))).toBe(true);
});
