import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { HOUR_MS } from "../../../src/core/time.ts";
import { assistant, prompt, usageOf } from "../../../src/testing/claude-lines.ts";
import { type Lab, openLab } from "../../lab.ts";

let lab: Lab | undefined;
afterEach(() => lab?.dispose());

const PAGE = resolve(import.meta.dirname, "../../../docs/records.md");
const PROGRAM = resolve(import.meta.dirname, "../../../dist/cli.cjs");

/** The shell blocks of the page that stand for themselves. */
function samples(): readonly string[] {
  return [...readFileSync(PAGE, "utf8").matchAll(/```sh\n(.*?)```/gs)].map(([, text = ""]) => text);
}

function logSession(home: string, cwd: string): void {
  const folder = join(home, ".claude/projects/-p");
  mkdirSync(folder, { recursive: true });
  const session = "11111111-1111-4111-8111-111111111111";
  // After the attempt's start, however long that takes, and before its end.
  const at = new Date(Date.now() + HOUR_MS).toISOString();
  const lines = [
    prompt({ session, at, more: { cwd } }),
    assistant({ session, id: "msg_1", request: "req_1", at, usage: usageOf(1000, 100), more: { cwd } }),
  ];
  writeFileSync(join(folder, `${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test("the page's own sample records a run, finds its cost and judges it", async () => {
  lab = openLab({ "a.txt": "a\n" });
  const bin = join(lab.outside, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "loopwright"), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  });
  logSession(lab.outside, lab.repo.dir);
  const said = spawnSync(
    "/bin/sh",
    [
      "-e",
      "-c",
      samples()
        .join("\n")
        .replace(
          "run finish",
          'run attempt --run "$run" --end implement.a1 --ended-at 2099-01-01\nloopwright run finish',
        ),
    ],
    {
      cwd: lab.repo.dir,
      encoding: "utf8",
      env: {
        PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        HOME: lab.outside,
        LOOPWRIGHT_HOME: lab.home,
        NO_COLOR: "1",
      },
    },
  );
  expect(said.stderr).not.toContain("internal error");
  expect([said.status, said.stdout]).toEqual([0, expect.stringContaining("accepted")]);
  const listed = (await lab.run(["runs", "--json"])).json()["runs"] as readonly Record<string, unknown>[];
  expect(listed).toMatchObject([
    { outcome: "accepted", state: "finished", attempts: 1, unknown_costs: 0, type: "bug_fix" },
  ]);
});

test("many runs are listed one a line, in pages, and a closed pipe ends it quietly", async () => {
  lab = openLab({ "a.txt": "a\n" });
  for (let n = 0; n < 3; n += 1) {
    const begun = await lab.run([
      "run",
      "start",
      "--type",
      "docs",
      "--workflow",
      "solo",
      "--set",
      "implement=codex:m:high",
      "--source",
      "designed",
      "--json",
    ]);
    expect(begun.exit).toBe(0);
  }
  const streamed = await lab.run(["runs", "--stream", "--documents", "--json"]);
  const rows = streamed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows).toHaveLength(3);
  expect(rows[0]).toMatchObject({ state: "open", document: { ocp: "0.3" } });
});

test("a session that the engine ran takes a late outcome by its commit, and keeps it over a new judgement", async () => {
  lab = openLab({ "a.txt": "a\n" });
  lab.repo.git("config", "user.name", "Ada Test");
  lab.repo.git("config", "user.email", "ada@example.org");
  const done = await lab.run([
    "go",
    "make b",
    "--check",
    "test -e b.txt",
    "--provider",
    lab.agent("touch b.txt"),
    "--commit",
    "--json",
  ]);
  expect([done.exit, done.stderr]).toEqual([0, expect.any(String)]);
  const sha = lab.repo.git("rev-parse", "HEAD").trim();
  const late = await lab.run([
    "outcome",
    "--commit",
    sha,
    "--signal",
    "revert=c0ffee1",
    "--kind",
    "event",
    "--json",
  ]);
  expect(late.json()).toMatchObject({ via: "artifact", outcome: "rejected" });
  const out = join(lab.outside, "out");
  expect((await lab.run(["run", "export", out, "--json"])).json()).toMatchObject({ runs: 1 });
  expect((await lab.run(["ocp", "validate", out, "--json"])).json()).toMatchObject({ valid: true });
  expect((await lab.run(["run", "import", out, "--json"])).json()).toMatchObject({ unchanged: 1 });
});
