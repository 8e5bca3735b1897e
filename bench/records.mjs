// What a store of many runs costs: importing them, listing them, and judging one by its commit.
// npm run bench -- records      BENCH_RUNS=10000 for a shorter one

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, machine, median, PROGRAM, ROOT, report, wall } from "./lib.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 100_000);
const ROUNDS = 15;

const sha = (n) => createHash("sha1").update(String(n)).digest("hex");

/** A run as an orchestrator would write it: two attempts, one of unknown cost now and then, a commit, a verdict. */
function document(n) {
  const at = (minute) => new Date(Date.UTC(2026, 0, 1) + n * 60_000 + minute * 1000).toISOString();
  const attempt = (k, usd) => ({
    id: `implement.a${k}`,
    node: "implement",
    n: k,
    harness: "claude-code",
    model: { raw: "model-x", id: "model-x" },
    status: "done",
    started_at: at(k),
    ended_at: at(k + 1),
    outcome: { result: "done", evidence: "reported" },
    cost: {
      input_tokens: 1200,
      cached_input_tokens: 90_000,
      output_tokens: 2500,
      ...(usd > 0 && { usd }),
      basis: "measured",
    },
  });
  return {
    ocp: "0.3",
    producer: { name: "bench", version: "1", capabilities: { events: true, signals: true } },
    privacy: { profile: "metadata_only" },
    run: {
      id: `run_bench_${n}`,
      title: `run ${n}`,
      started_at: at(0),
      ended_at: at(9),
      labels: { arm: n % 2 === 0 ? "base" : "cand" },
      task: { id: `tsk_${n % 1000}`, type: "bug_fix", repo: `acme/${n % 50}`, base_commit: sha(-n) },
      acceptance_rule: { name: "tests", definition: "tests pass", requires: ["tests"] },
      signals: [
        {
          id: "sig_1",
          kind: "verdict",
          name: "tests",
          value: n % 3 === 0 ? "fail" : "pass",
          observed_at: at(8),
          tier: "verified",
        },
      ],
    },
    nodes: [{ id: "implement", kind: "impl", state: "done" }],
    attempts: [attempt(1, 0.31), attempt(2, n % 7 === 0 ? 0 : 0.2)],
    artifacts: [
      {
        id: "commit",
        path: sha(n),
        kind: { value: "commit", tier: "verified" },
        producer: "implement.a2",
        writers: ["implement.a2"],
        consumers: [],
        first_write_at: null,
        n_writes: null,
        n_reads: null,
      },
    ],
    events: [{ at: at(0), type: "note", detail: "run started" }],
  };
}

/** Wall milliseconds of our command less those of bare Node, each pair run back to back. */
function overBareNode(words, env) {
  const differences = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = wall([process.execPath, "-e", "0"]).ms;
    const ours = wall([process.execPath, PROGRAM, ...words(round)], { env });
    if (ours.status !== 0) throw new Error(`${words(round).join(" ")} exited with ${ours.status}`);
    differences.push(ours.ms - bare);
  }
  return median(differences);
}

const place = folder();
try {
  machine();
  const documents = join(place.path, "documents");
  mkdirSync(documents);
  for (let n = 0; n < RUNS; n += 1)
    writeFileSync(join(documents, `${n}.ocp.json`), JSON.stringify(document(n), null, 2));
  const env = { ...process.env, LOOPWRIGHT_HOME: join(place.path, "home") };
  const started = performance.now();
  const imported = spawnSync(
    process.execPath,
    [PROGRAM, "run", "import", documents, "--no-fit", "--brief", "--json"],
    {
      env,
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  const seconds = (performance.now() - started) / 1000;
  const answer = JSON.parse(imported.stdout);
  if (answer.imported !== RUNS) throw new Error(`imported ${answer.imported} of ${RUNS}: ${imported.stdout}`);
  report(`import ${RUNS} runs`, seconds, "s", (60 * RUNS) / 100_000);
  const rows = [
    ["runs --limit 50", () => ["runs", "--limit", "50", "--json"], 100],
    ["runs --limit 50 --repo", () => ["runs", "--limit", "50", "--repo", "acme/7", "--json"], 100],
    ["runs --limit 50 --sort cost", () => ["runs", "--limit", "50", "--sort", "cost", "--json"], 100],
    [
      "outcome --commit, one run judged",
      (round) => ["outcome", "--commit", sha(round * 17), "--signal", "ci=pass", "--json"],
      60,
    ],
  ];
  for (const [what, words, target] of rows)
    report(`${what} (over bare Node)`, overBareNode(words, env), "ms", target);
} finally {
  place.remove();
}
