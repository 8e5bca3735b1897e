// Everything a change must pass, one line a stage, stopping at the first failure.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const bin = (name) => join(root, "node_modules/.bin", name);
/** The runner leaves a core idle by default; suites that wait for child processes can use one more. */
const cores = availableParallelism();
const vitest = (project, workers) => [bin("vitest"), "run", "--project", project, `--maxWorkers=${workers}`];

const stages = [
  ["format and lint", [bin("biome"), "check", "."]],
  ["types", [bin("tsc"), "--noEmit"]],
  ["dead code", [bin("knip")]],
  ["unit, golden, boundaries", vitest("unit", cores)],
  ["contract", vitest("contract", cores + 1)],
  ["end to end", vitest("e2e", cores + 1)],
  ["crash", vitest("crash", cores + 1)],
];

const counts = { passed: 0, failed: 0, skipped: 0 };

/** Vitest's closing line, e.g. `Tests  2 failed | 10 passed | 1 skipped (13)`. */
function count(output) {
  const plain = output.replaceAll(/\u001b\[[0-9;]*m/g, "");
  for (const line of plain.matchAll(/^\s*Tests\s+(.*)$/gm)) {
    for (const key of Object.keys(counts))
      counts[key] += Number(new RegExp(`(\\d+) ${key}`).exec(line[1])?.[1] ?? 0);
  }
}

function close(code) {
  if (counts.passed + counts.failed > 0) {
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
  process.exit(code);
}

for (const [name, [command, ...args]] of stages) {
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, FORCE_COLOR: "0" },
  });
  count(stdout);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(`${stdout}\n${stderr}`);
    console.error(`✖ ${name} (${seconds} s)`);
    close(1);
  }
  const warnings = `${stdout}\n${stderr}`.split("\n").filter((line) => /\bSKIPPED\b/.test(line));
  for (const line of new Set(warnings)) console.log(line.trim());
  console.log(`✔ ${name} (${seconds} s)`);
}
close(0);
