import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { commitAll } from "../../src/testing/inline-repo.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

function aLab(...more: readonly string[]): CliLab {
  const lab = openCliLab();
  lab.write(".gitignore", "home/\n");
  const file = (target: string, name: string, rest = "") =>
    `{target: ${target}, name: ${name}, mode: objective, statement: There., detector: {type: file_exists, path: ${name}}${rest}}`;
  const checks = [
    file("first", "one"),
    file("second", "two"),
    file("second", "three", ", blocking: false"),
    ...more,
  ];
  lab.write(
    "loop.yaml",
    `name: files
intent:
  prerequisites: [{step: Not done yet, done: false}]
  goals:
    - {name: first, description: The first file is in its place.}
    - {name: second, description: The second file is in its place.}
safety: {checks: [${checks.join(", ")}], gates: {stop: {max_iterations: 2}}}
`,
  );
  commitAll(lab.dir);
  return lab;
}

test("a loop's goals are judged on the files as they are, changed and untracked ones too", async () => {
  const lab = aLab();
  lab.write("one", "x");
  const half = await lab.run("loop", "gate");
  expect({ exit: half.exit, json: half.json }).toMatchObject({
    exit: 10,
    json: {
      satisfied: false,
      targets: [
        { target: "first", satisfied: true },
        { target: "second", satisfied: false },
      ],
    },
  });
  expect((await lab.run("loop", "gate", "--target", "first")).exit).toBe(0);
  lab.write("two", "x");
  const whole = await lab.run("loop", "gate");
  expect({ exit: whole.exit, json: whole.json }).toMatchObject({
    exit: 0,
    json: { satisfied: true, checks: [{}, {}, { check: "three", blocking: false, verdict: "fail" }] },
  });
});

test("nothing is written down: no session, no goal that is reached, no folder that stays held", async () => {
  const lab = aLab();
  lab.write("one", "x");
  lab.write("two", "x");
  expect((await lab.run("loop", "gate")).exit).toBe(0);
  expect((await lab.run("status")).exit).toBe(2);
  expect((await lab.run("runs")).json).toMatchObject({ runs: [] });
  expect(readdirSync(lab.dir).sort()).toEqual([".git", ".gitignore", "home", "loop.yaml", "one", "two"]);
  expect((await lab.run("loop", "gate")).exit).toBe(0);
});

test("what only a judge can say is open, and holds its goal back", async () => {
  const lab = aLab(
    "{target: first, name: fine, mode: subjective, statement: Fine., detector: {type: judge, standard: It is.}}",
  );
  lab.write("one", "x");
  const { exit, json } = await lab.run("loop", "gate", "--target", "first");
  expect({ exit, json }).toMatchObject({ exit: 10, json: { checks: [{}, {}, {}, { verdict: "open" }] } });
});

test("a target that is no goal of the file is refused with those that are", async () => {
  const { exit, json } = await aLab().run("loop", "gate", "--target", "third");
  expect({ exit, json }).toMatchObject({ exit: 1, json: { problem: { code: "bad-flag" } } });
});
