import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeClaudeCorpus, writeCodexCorpus, writeLongLine, writeTinyFiles } from "./log-corpus.mjs";

/**
 * How fast and how right logs are read, beside the native ccusage on the same generated files: interleaved, medians,
 * with the generator's truth.
 *
 *   node bench/logs.mjs [--mb 1000] [--runs 7] [--keep DIR]
 */

const PEER = "ccusage@20.0.24";
const { values } = parseArgs({
  options: {
    mb: { type: "string", default: "1000" },
    runs: { type: "string", default: "7" },
    keep: { type: "string" },
  },
});
const megabytes = Number(values.mb);
const runs = Number(values.runs);
const root =
  values.keep === undefined ? mkdtempSync(join(tmpdir(), "loopwright-bench-")) : resolve(values.keep);
mkdirSync(root, { recursive: true });
const nowhere = join(root, "nowhere");
const cli = resolve(process.env.LOOPWRIGHT_BENCH_CLI ?? join(import.meta.dirname, "../dist/cli.cjs"));

/** Two seconds after its last write a file is no longer too young to be trusted. */
const SETTLE_MS = 2500;

function corpus(name, write) {
  const home = join(root, `${name}-${megabytes}`);
  const truthFile = join(home, "truth.json");
  if (!existsSync(truthFile)) {
    process.stderr.write(`writing ${home}\n`);
    mkdirSync(home, { recursive: true });
    const truth = write(home);
    writeFileSync(truthFile, JSON.stringify(truth));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE_MS);
  }
  return { name, home, truth: JSON.parse(readFileSync(truthFile, "utf8")) };
}

function peerProgram() {
  const folder = join(root, "peer");
  const found = () =>
    join(folder, "node_modules/@ccusage", `ccusage-${process.platform}-${process.arch}`, "bin/ccusage");
  if (!existsSync(found())) {
    mkdirSync(folder, { recursive: true });
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", folder, PEER], {
      stdio: "ignore",
    });
  }
  if (!existsSync(found())) return undefined;
  chmodSync(found(), 0o755);
  return found();
}

/** Wall and processor seconds, peak memory in MiB, and what it printed. */
function measure(command, args, env) {
  const started = process.hrtime.bigint();
  const result = spawnSync("/usr/bin/time", ["-f", "%U %S %M", command, ...args], {
    env: { PATH: process.env.PATH, HOME: nowhere, ...env },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const wall = Number(process.hrtime.bigint() - started) / 1e9;
  if (result.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${result.stderr}`);
  const [user, system, kib] = result.stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return { wall, cpu: user + system, mib: kib / 1024, out: JSON.parse(result.stdout) };
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
}

function summary(measures) {
  return {
    wall: median(measures.map((m) => m.wall)),
    cpu: median(measures.map((m) => m.cpu)),
    mib: Math.max(...measures.map((m) => m.mib)),
    out: measures[0].out,
  };
}

const peer = peerProgram();

function compare({ name, home, truth }, agent) {
  const env =
    agent === "codex"
      ? { CODEX_HOME: home, CLAUDE_CONFIG_DIR: nowhere }
      : { CLAUDE_CONFIG_DIR: home, CODEX_HOME: nowhere };
  const store = join(root, "store");
  const ours = () => measure(process.execPath, [cli, "scan", "--json", "--home", store], env);
  const cold = [];
  const warm = [];
  const theirs = [];
  // Once unmeasured: the files are then in memory for both.
  ours();
  for (let i = 0; i < runs; i += 1) {
    rmSync(store, { recursive: true, force: true });
    cold.push(ours());
    if (peer !== undefined) theirs.push(measure(peer, [agent, "daily", "--json", "--offline"], env));
    warm.push(ours());
  }
  return {
    name,
    truth,
    cold: summary(cold),
    warm: summary(warm),
    theirs: theirs.length === 0 ? undefined : summary(theirs),
  };
}

const seconds = (s) => `${s.toFixed(2)} s`;
const cell = (m) => `${seconds(m.wall)} (${seconds(m.cpu)} CPU, ${Math.round(m.mib)} MiB)`;

function ourTokens(out) {
  return {
    input: out.input_tokens ?? 0,
    written: (out.cache_write_5m_tokens ?? 0) + (out.cache_write_1h_tokens ?? 0),
    read: out.cache_read_tokens ?? 0,
    output: out.output_tokens ?? 0,
  };
}

function theirTokens({ totals }) {
  return {
    input: totals.inputTokens,
    written: totals.cacheCreationTokens,
    read: totals.cacheReadTokens,
    output: totals.outputTokens,
  };
}

function trueTokens(truth) {
  return {
    input: truth.input,
    written: truth.cacheWrite5m + truth.cacheWrite1h,
    read: truth.cacheRead,
    output: truth.output,
  };
}

const list = (tokens) => `${tokens.input} / ${tokens.written} / ${tokens.read} / ${tokens.output}`;

const corpora = [
  [corpus("claude", (home) => writeClaudeCorpus(home, { bytes: megabytes * 1e6 })), "claude"],
  [corpus("codex", (home) => writeCodexCorpus(home, { bytes: megabytes * 1e6 })), "codex"],
  [corpus("tiny", (home) => writeTinyFiles(home, { files: 20 * megabytes })), "claude"],
  [corpus("long-line", (home) => writeLongLine(home, { bytes: megabytes * 6e5 })), "claude"],
];
const results = corpora.map(([entry, agent]) => compare(entry, agent));

/** How many times as fast a first scan must be. */
const COLD_RATIO = { claude: 2.5, codex: 1.5, tiny: 2.5, "long-line": 2.5 };
const WARM_RATIO = 20;
const WARM_SECONDS = 0.2;
const PEAK_MIB = 250e6 / 2 ** 20;

function missed({ name, truth, cold, warm, theirs }) {
  const problems = [];
  const must = (isMet, what) => {
    if (!isMet) problems.push(`${name}: ${what}`);
  };
  must(list(ourTokens(cold.out)) === list(trueTokens(truth)), "the first scan's totals are not the truth");
  must(list(ourTokens(warm.out)) === list(trueTokens(truth)), "the second scan's totals are not the truth");
  must(cold.mib < PEAK_MIB, `${cold.mib.toFixed(0)} MiB at the first scan`);
  must(warm.mib < PEAK_MIB, `${warm.mib.toFixed(0)} MiB with nothing new`);
  must(warm.wall < WARM_SECONDS, `${(warm.wall * 1000).toFixed(0)} ms with nothing new`);
  if (theirs === undefined) return problems;
  const [first, again] = [theirs.wall / cold.wall, theirs.wall / warm.wall];
  must(first >= COLD_RATIO[name], `first scan ${first.toFixed(2)} times as fast, not ${COLD_RATIO[name]}`);
  must(again >= WARM_RATIO, `nothing new ${again.toFixed(1)} times as fast, not ${WARM_RATIO}`);
  return problems;
}

const ratio = (theirs, ours) => (theirs === undefined ? "?" : `${(theirs.wall / ours.wall).toFixed(2)} x`);
const load = readFileSync("/proc/loadavg", "utf8").split(" ")[1];
console.log(
  `node ${process.version}, ${PEER}, medians of ${runs} in turn, peak memory of all runs, load ${load}\n`,
);
console.log(
  "| logs | loopwright, first scan | loopwright, nothing new | ccusage | first scan | nothing new |",
);
console.log("| --- | --- | --- | --- | --- | --- |");
for (const { name, truth, cold, warm, theirs } of results) {
  const size = `${name}: ${(truth.bytes / 1e6).toFixed(0)} MB, ${truth.files} files`;
  const other = theirs === undefined ? "not here" : cell(theirs);
  console.log(
    `| ${size} | ${cell(cold)} | ${cell(warm)} | ${other} | ${ratio(theirs, cold)} | ${ratio(theirs, warm)} |`,
  );
}
console.log("\ninput / cache write / cache read / output tokens\n");
console.log("| logs | truth | loopwright | ccusage |\n| --- | --- | --- | --- |");
for (const { name, truth, cold, theirs } of results) {
  const other = theirs === undefined ? "not here" : list(theirTokens(theirs.out));
  console.log(`| ${name} | ${list(trueTokens(truth))} | ${list(ourTokens(cold.out))} | ${other} |`);
}
const problems = results.flatMap(missed);
console.log(problems.length === 0 ? "\nevery target is met" : `\nMISSED\n${problems.join("\n")}`);
if (values.keep === undefined) rmSync(root, { recursive: true, force: true });
if (problems.length > 0) process.exitCode = 1;
