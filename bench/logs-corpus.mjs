import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Who gives the right token totals on real logs whose bill is known: this program and, when its path is given, the
 * native ccusage.
 *
 *   node bench/logs-corpus.mjs [PATH-OF-CCUSAGE]
 */

const corpus = join(
  process.env.LOOPWRIGHT_SHARED ?? resolve(import.meta.dirname, "../../shared"),
  "corpus/logs",
);
if (!existsSync(corpus)) {
  console.log(`SKIPPED: there is no log corpus at ${corpus}`);
  process.exit(0);
}
const cli = resolve(process.env.LOOPWRIGHT_BENCH_CLI ?? join(import.meta.dirname, "../dist/cli.cjs"));
const peer = process.argv[2];

function run(command, args, env) {
  const { stdout } = spawnSync(command, args, {
    env: { PATH: process.env.PATH, HOME: "/nonexistent", ...env },
    encoding: "utf8",
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

function truth(expected) {
  const sum = [0, 0, 0, 0];
  for (const model of Object.values(expected.totals.byModel)) {
    sum[0] += model.input;
    sum[1] += model.cacheWrite5m + model.cacheWrite1h;
    sum[2] += model.cacheRead;
    sum[3] += model.output;
  }
  return sum.join("/");
}

/**
 * Calls without a record of their own are left out of the truth. Where there are some, the rest is compared by its
 * cost.
 */
function ours(env, expected, right) {
  const out = run(process.execPath, [cli, "scan", "--json", "--no-cache"], env);
  if (out === undefined) return "failed";
  if (out.unlogged_usd > 0) {
    const logged = out.cost_usd - out.unlogged_usd;
    return Math.abs(logged - expected.totals.costUSD) < 1e-6 ? right : `${logged} dollars`;
  }
  const written = (out.cache_write_5m_tokens ?? 0) + (out.cache_write_1h_tokens ?? 0);
  return [out.input_tokens ?? 0, written, out.cache_read_tokens ?? 0, out.output_tokens ?? 0].join("/");
}

function theirs(agent, env) {
  const totals = run(peer, [agent, "daily", "--json", "--offline"], env)?.totals;
  if (totals === undefined) return "failed";
  return [totals.inputTokens, totals.cacheCreationTokens, totals.cacheReadTokens, totals.outputTokens].join(
    "/",
  );
}

const score = { sets: 0, ours: 0, theirs: 0 };
for (const [folder, agent] of [
  ["claude-code", "claude"],
  ["codex", "codex"],
]) {
  for (const name of readdirSync(join(corpus, folder))) {
    const set = join(corpus, folder, name);
    if (!existsSync(join(set, "expected.json"))) continue;
    const expected = JSON.parse(readFileSync(join(set, "expected.json"), "utf8"));
    const dirs = (expected.configDirs ?? [".claude"]).map((dir) => join(set, dir)).join(",");
    const env =
      agent === "codex"
        ? { CODEX_HOME: join(set, ".codex"), CLAUDE_CONFIG_DIR: "/nonexistent" }
        : { CLAUDE_CONFIG_DIR: dirs, CODEX_HOME: "/nonexistent" };
    const right = truth(expected);
    const [mine, other] = [ours(env, expected, right), peer === undefined ? "not run" : theirs(agent, env)];
    score.sets += 1;
    if (mine === right) score.ours += 1;
    if (other === right) score.theirs += 1;
    if (mine !== right || other !== right)
      console.log(`${folder}/${name}: truth ${right}, loopwright ${mine}, ccusage ${other}`);
  }
}
console.log(
  `right totals: loopwright ${score.ours} of ${score.sets}, ccusage ${score.theirs} of ${score.sets}`,
);
