import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { type CliLab, openCliLab } from "../cli-lab.ts";

const MINUTE = 60_000;

function loopText(triggers: string): string {
  return `name: stamp
intent:
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph:
    nodes: [{id: stamp, role: builder, instruction: Put the stamp into its place.}]
  providers:
    providers: [{id: sh, kind: byok, command: sh, args: [-c, "cat > /dev/null; echo stamp > stamp.txt"]}]
  triggers: {triggers: [${triggers}], max_depth: 2}
safety:
  checks:
    - {target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}
  gates: {stop: {max_iterations: 2, max_wall_clock_seconds: 60}}
`;
}

function aLab(triggers: string): CliLab {
  const lab = openCliLab();
  const git = (...words: readonly string[]) =>
    execFileSync("git", [...words], { cwd: lab.dir, stdio: "ignore" });
  git("init", "-q");
  lab.write(".gitignore", "home/\n");
  lab.write("loop.yaml", loopText(triggers));
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "start");
  return lab;
}

const look = (lab: CliLab) => lab.run("loop", "watch", "--once");

test("a schedule that comes due runs the loop once, and a later look finds nothing left", async () => {
  const lab = aLab("{on: {type: cron, expr: '5 12 * * *'}}");
  expect((await look(lab)).json).toMatchObject({ ok: true, runs: [] });
  lab.nowMs += 5 * MINUTE + 1000;
  const due = await look(lab);
  expect(due.json["runs"]).toMatchObject([
    {
      exit: 0,
      problem: null,
      depth: 0,
      session: expect.stringMatching(/^ses_/),
      keys: [expect.stringMatching(/^cron:5 12/)],
    },
  ]);
  expect((await look(lab)).json).toMatchObject({ runs: [], turned_down: [] });
});

test("a file that changes runs it, and what the runs write themselves starts no endless chain", async () => {
  const lab = aLab("{on: {type: file_change, path: src}}");
  mkdirSync(lab.path("src"));
  const touch = () => utimesSync(lab.path("src"), lab.nowMs / 1000, lab.nowMs / 1000);
  touch();
  await look(lab);
  lab.nowMs += MINUTE;
  touch();
  expect((await look(lab)).json["runs"]).toMatchObject([{ depth: 0 }]);
  lab.nowMs += 4000;
  touch();
  expect((await look(lab)).json["runs"]).toMatchObject([{ depth: 1 }]);
  lab.nowMs += 4000;
  touch();
  expect((await look(lab)).json).toMatchObject({ runs: [], turned_down: [{ why: "too-deep" }] });
});

test("a look that checks starts nothing and says what comes next", async () => {
  const lab = aLab("{on: {type: cron, expr: '0 9 * * *', timezone: Europe/Berlin}}, {on: {type: manual}}");
  const { exit, json } = await lab.run("loop", "watch", "--check");
  expect([exit, json["triggers"]]).toEqual([
    0,
    [
      {
        waits_for: "cron 0 9 * * * (Europe/Berlin)",
        enabled: true,
        missed: "once",
        next: "2026-11-11T08:00:00.000Z",
      },
      { waits_for: "a person", enabled: true, missed: "once", next: null },
    ],
  ]);
});

test.each([
  ["nothing but a person", "{on: {type: manual}}", "bad-input"],
  ["nothing at all", "", "bad-input"],
  ["a webhook, which nothing listens for yet", "{on: {type: webhook, name: deploy}}", "not-supported-yet"],
])("a loop that waits for %s is not watched", async (_what, triggers, code) => {
  expect((await aLab(triggers).run("loop", "watch", "--once")).json).toMatchObject({ problem: { code } });
});
