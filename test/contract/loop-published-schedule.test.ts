import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openCliLab } from "../cli-lab.ts";
import { sharedData } from "../golden/shared-data.ts";

const LOOPS = sharedData("corpus/loops");

/** The published loop with a person's work ticked off, a producer for its metric, and no ceiling that nobody could watch. */
function published(): string {
  const count = 'echo "{\\"complexity_ratio\\": 0.9}" > "$LOOPWRIGHT_METRICS"';
  const producer = `  - {target: simplify, name: measured, mode: objective, statement: The complexity is measured., detector: {type: script, command: sh, args: ["-c", ${JSON.stringify(count)}]}}`;
  return readFileSync(join(LOOPS ?? "", "refactor-loop.yaml"), "utf8")
    .replaceAll("done: false", "done: true")
    .replace("metric: complexity_ratio,", "metric: complexity_ratio, producer: measured,")
    .replace("\nvalidations:\n", `\nvalidations:\n${producer}\n`)
    .replace("  max_cost_usd: 10.0\n", "");
}

test.skipIf(LOOPS === undefined)("a published loop runs once when the clock comes to its hour", async () => {
  const lab = openCliLab();
  const bin = lab.path("home/bin");
  const program = (folder: string, name: string, text: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  };
  program(
    bin,
    "cargo",
    'case "$1" in clippy) grep -q simple src/lib.rs && grep -q simple src/main.rs ;; esac',
  );
  program(bin, "ollama", "cat > /dev/null; echo two functions are long");
  program(
    bin,
    "claude",
    `case "$2" in *"first half"*) echo simple > src/lib.rs ;; *"second half"*) echo simple > src/main.rs ;; esac; echo done`,
  );
  program(bin, "curl", "cat > /dev/null; echo 'VERDICT: readable PASS\nEVIDENCE: src/lib.rs:1 is simple'");
  program(lab.path("scripts"), "assert-tests-untouched.sh", "exit 0");
  mkdirSync(lab.path("src"));
  for (const name of ["lib", "main"]) lab.write(`src/${name}.rs`, "long\n");
  lab.write(".gitignore", "home/\n");
  lab.write("loop.yaml", published());
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
      cwd: lab.dir,
      stdio: "ignore",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "start");
  lab.env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, OPENAI_API_KEY: "none", TZ: "UTC" };
  const look = () => lab.run("loop", "watch", "--once", "--max-runs", "1");

  lab.nowMs = Date.parse("2026-11-10T01:59:00Z");
  expect((await look()).json).toMatchObject({ ok: true, runs: [] });
  lab.nowMs += 2 * 60_000;
  const due = await look();
  expect(due.json["runs"], due.stderr).toMatchObject([
    { exit: 0, problem: null, keys: [expect.stringMatching(/^cron:0 2 \* \* \*/)] },
  ]);
  expect(readFileSync(lab.path("src/main.rs"), "utf8")).toBe("simple\n");
  // What the run changed in src/ is another trigger of this loop; its hour is over.
  expect((await look()).stdout).not.toContain("cron:");
});
