import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commitAll } from "../../src/testing/inline-repo.ts";
import { type CliLab, openCliLab } from "../cli-lab.ts";

/**
 * Plays docker: writes down each of its command lines, knows one image, and runs what it is given, without a container.
 * No real daemon is at hand where these tests run.
 */
const STAND_IN = `#!/bin/sh
echo "$@" >> "$0.calls"
case $1 in
version) if test -e "$0.down"; then echo "Cannot connect" >&2; exit 1; fi; echo 27.1 ;;
image) test "$3" = here ;;
rm) ;;
run)
  shift
  while test $# -gt 0; do
    case $1 in
    --rm|--interactive|--init|--read-only) shift ;;
    --*) shift 2 ;;
    *) break ;;
    esac
  done
  shift
  exec "$@" ;;
esac
`;

function aLab(isolation: string, script = "echo done > made.txt", environment = "dev") {
  const lab = openCliLab();
  const docker = lab.path("stand-in");
  writeFileSync(docker, STAND_IN, { mode: 0o755 });
  lab.env = { LOOPSMITH_DOCKER: docker };
  lab.write(".gitignore", "home/\nstand-in*\n");
  lab.write(
    "loop.yaml",
    `name: apart
environment: ${environment}
intent:
  prerequisites: [{step: Made once by hand, done: true}]
  goals: [{name: made, description: It is made and in its place.}]
execution:
  graph: {nodes: [{id: make, role: builder, instruction: Make it in its place., goals: [made], isolation: ${isolation}}]}
  providers: {providers: [{id: sh, kind: byok, command: sh, args: [-c, ${JSON.stringify(script)}], prompt_on_stdin: true, requires_env: [PATH]}]}
safety:
  checks:
    - {target: made, name: there, mode: objective, statement: There., detector: {type: file_exists, path: made.txt}}
  gates: {stop: {max_iterations: 1, max_wall_clock_seconds: 60}}
`,
  );
  commitAll(lab.dir);
  const calls = () => (existsSync(`${docker}.calls`) ? readFileSync(`${docker}.calls`, "utf8") : "");
  return { lab, calls, down: () => writeFileSync(`${docker}.down`, "") };
}

const start = (lab: CliLab) => lab.run("loop", "start", "--allow-unknown-cost");
const IN_CONTAINER = "{mode: container, image: here}";

test("a piece that names an image works in a container of it, held back on every side, and its work comes home", async () => {
  const { lab, calls } = aLab(IN_CONTAINER);
  expect((await start(lab)).exit).toBe(0);
  expect(readFileSync(lab.path("made.txt"), "utf8")).toBe("done\n");
  const [run = ""] = calls()
    .split("\n")
    .filter((line) => line.startsWith("run "));
  for (const words of [
    "--network none",
    "--pull never",
    "--read-only",
    "--cap-drop ALL",
    "--memory ",
    `--user ${process.getuid?.()}:`,
    `source=${lab.path(".git")},target=${lab.path(".git")},readonly`,
    "here sh -c",
  ]) {
    expect(run).toContain(words);
  }
  expect(run).not.toContain(`source=${lab.dir},`);
  const name = /--name (\S+)/.exec(run)?.[1] ?? "none";
  expect(calls()).toContain(`rm --force ${name}`);
  const { stdout } = await lab.run("ledger", "show");
  expect(stdout).toContain('"container":"here"');
  expect(stdout).toContain('"threat":"sandboxed"');
});

test("a network is there where the file asks for one", async () => {
  const { lab, calls } = aLab("{mode: container, image: here, network: true}");
  expect((await start(lab)).exit).toBe(0);
  expect(calls()).toMatch(/^run /m);
  expect(calls()).not.toContain("--network");
});

test("a container is removed when its agent ran out of time", async () => {
  const { lab, calls } = aLab(IN_CONTAINER, "sleep 60");
  await lab.run("loop", "start", "--allow-unknown-cost", "--max-attempt-time", "1s");
  expect(calls()).toMatch(/rm --force loopwright-[0-9a-f]{32}\n/);
});

test("an image that is not here is a wrong setting, and is not pulled", async () => {
  const { lab, calls } = aLab("{mode: container, image: elsewhere}");
  const { exit, json } = await start(lab);
  expect({ exit, json }).toMatchObject({ exit: 12, json: { problem: { code: "provider-model" } } });
  expect(JSON.stringify(json)).toContain("elsewhere");
  expect(calls()).not.toMatch(/^(run|pull) /m);
});

test("without a service that answers the piece works in a sandbox, which is said, and production refuses", async () => {
  const weak = aLab(IN_CONTAINER);
  weak.down();
  const done = await start(weak.lab);
  expect(done.exit).toBe(0);
  expect(done.stderr).toContain("degraded: no container can be had here");
  expect(JSON.stringify(done.json)).toMatch(
    /make works (in a sandbox and not in its container|without a sandbox)/,
  );
  const strict = aLab(IN_CONTAINER, "true", "prod");
  strict.down();
  const { exit, json } = await start(strict.lab);
  expect({ exit, json }).toMatchObject({ exit: 12, json: { problem: { code: "container-unavailable" } } });
});
