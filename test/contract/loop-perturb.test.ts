import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openCliLab } from "../cli-lab.ts";

test("a loop that gets nowhere changes how it works, says so in its ledger, and still stops", async () => {
  const lab = openCliLab();
  execFileSync("git", ["init", "-q"], { cwd: lab.dir });
  lab.write(".gitignore", "home/\nloop.yaml\ntold.txt\n");
  const agent = (id: string) =>
    `{id: ${id}, kind: byok, command: sh, args: [-c, "{ cat; echo; echo by ${id}; } >> told.txt"], prompt_on_stdin: true, tiers: [${id}]}`;
  lab.write(
    "loop.yaml",
    `name: stuck
intent:
  prerequisites: [{step: Done once by hand, done: true}]
  goals: [{name: there, description: The file is there.}]
execution:
  graph: {nodes: [{id: make, role: builder, instruction: Make the file that is asked for., tier: cheap}]}
  providers: {providers: [${agent("cheap")}, ${agent("standard")}]}
safety:
  checks:
    - {target: there, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}
  gates:
    stop: {max_iterations: 9, max_wall_clock_seconds: 60, no_progress_iterations: 3, no_progress_iterations_randomness: 1}
`,
  );
  const { exit, json } = await lab.run("loop", "start");
  expect([exit, json["iteration"]], JSON.stringify(json)).toEqual([10, 4]);
  const told = readFileSync(lab.path("told.txt"), "utf8");
  expect(told.match(/Work in another way/g)).toHaveLength(2);
  expect(told.match(/^by \w+/gm)?.toSorted()).toEqual(["by cheap", "by cheap", "by cheap", "by standard"]);
  const { stdout } = await lab.run("ledger", "show");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const ways = events.filter(({ type }) => type === "iteration:perturbed").map(({ data }) => data);
  expect(ways).toMatchObject([{ iteration: 3 }, { iteration: 4 }]);
  expect(ways.map(({ how }) => how.choice).toSorted()).toEqual(["escalate", "reframe"]);
});
