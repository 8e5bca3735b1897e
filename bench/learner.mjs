// How long a fit takes: `npm run bench -- learner`. Simulated users with a usual and with a large catalogue of
// repositories, models, shapes and harness parts. `--all` adds 100,000 runs and a cold
// `recommend`, for which the program must be built.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beyondBareNode, bundle, folder, median, ROOT, report } from "./lib.mjs";

/** About 300 and about 570 effects in the largest head at 2,000 runs. */
const USUAL_CATALOGUE = { types: 6, repositories: 20, models: 8, shapes: 8, parts: 15, months: 3 };
const LARGE_CATALOGUE = { types: 12, repositories: 25, models: 15, shapes: 15, parts: 40, months: 6 };

const SOURCES = [
  "src/adapters/fit-thread/index.ts",
  "src/learn/index.ts",
  "src/learn/prior/load.ts",
  "src/testing/learner-catalogue.ts",
];
/** `--many FILE`: only 100,000 runs, by a bundle that is made already. */
const MANY = process.argv[2] === "--many" ? process.argv[3] : undefined;
const made = MANY === undefined ? await bundle(SOURCES) : { file: MANY, remove: () => {} };
const { fitBelief, fitBeliefBeside, fitThread, keepFit, SHIPPED_PRIOR, simulateUser } = await import(
  pathToFileURL(made.file).href
);

const FITS = [
  ["usual", USUAL_CATALOGUE, 30, undefined],
  ["usual", USUAL_CATALOGUE, 200, undefined],
  ["usual", USUAL_CATALOGUE, 2000, 1000],
  ["large", LARGE_CATALOGUE, 2000, 2000],
];

/** Milliseconds that go by, and what the processor spends beside them on compiling and collecting. */
async function timed(work) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const result = await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms, cpuMs: (user + system) / 1000 };
}

/** As the program does: many runs on two threads. */
function fitted(runs) {
  if (runs.length < 10_000) return fitBelief(runs, SHIPPED_PRIOR);
  const thread = fitThread(pathToFileURL(join(ROOT, "dist/fit-thread.cjs")));
  return fitBeliefBeside(thread, runs, SHIPPED_PRIOR);
}

async function reportFit(name, catalogue, count, target) {
  const runs = simulateUser(1, count, catalogue);
  const { result: belief, ms, cpuMs } = await timed(() => fitted(runs));
  const effects = Math.max(belief.success.nodes.ids.length, belief.cost.nodes.ids.length);
  report(`fit of ${count} runs, ${name} catalogue, ${effects} effects`, ms, "ms", target);
  report("  of the processor", cpuMs, "ms");
}

if (MANY !== undefined) {
  await reportFit("usual", USUAL_CATALOGUE, 100_000, 10_000);
  report("  most memory at a time", process.resourceUsage().maxRSS / 1024, "MB", 700);
  process.exit();
}

for (const given of FITS) await reportFit(...given);

// One run more than the fit that is kept: what is asked after each run. Once to warm up, as a second question would.
for (const [name, catalogue] of [
  ["usual", USUAL_CATALOGUE],
  ["large", LARGE_CATALOGUE],
]) {
  const runs = simulateUser(1, 2003, catalogue);
  const kept = [2000, 2001, 2002].map((count) => keepFit(fitBelief(runs.slice(0, count), SHIPPED_PRIOR)));
  const times = [];
  for (const [i, bytes] of kept.entries()) {
    const { ms } = await timed(() => fitBelief(runs.slice(0, 2001 + i), SHIPPED_PRIOR, bytes));
    times.push(ms);
  }
  report(`one run more than 2,000, ${name} catalogue, first`, times[0], "ms");
  report(`one run more than 2,000, ${name} catalogue, then`, median(times.slice(1)), "ms", 50);
  report(`the kept fit, ${name} catalogue`, kept[0].length / 1e6, "MB");
}

if (process.argv.includes("--all")) {
  // In a process of their own, whose memory is theirs alone.
  spawnSync(process.execPath, [import.meta.filename, "--many", made.file], { stdio: "inherit" });
  reportRecommend();
}
made.remove();

/** From the shipped prior alone, as a process, in turn with bare Node. */
function reportRecommend() {
  const home = folder();
  const task = ["--type", "bug_fix", "--repo", "acme/api", "--title", "Fix the parser crash"];
  const options = { cwd: home.path, env: { ...process.env, LOOPWRIGHT_HOME: home.path } };
  const { bare, ours, beyond } = beyondBareNode(["recommend", ...task], options);
  const times = `${ours.toFixed(0)} against ${bare.toFixed(0)} ms`;
  report(`cold \`recommend\` beyond bare node (${times})`, beyond, "ms", 300);
  home.remove();
}
