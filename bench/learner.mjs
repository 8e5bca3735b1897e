// How long a fit takes: `npm run bench -- learner`. Simulated runs with many repositories, models and shapes.
import { load, unload } from "./lib.mjs";

const { fitBelief, SHIPPED_PRIOR, aRun, readRun } = await sources([
  "src/learn/index.ts",
  "src/learn/prior/load.ts",
  "src/testing/run-documents.ts",
]);
const NOW = Date.parse("2026-11-30T12:00:00Z");
const MODELS = ["claude-opus-5-5", "claude-sonnet-5", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna"];
const TYPES = ["bug_fix", "feature", "refactor", "tests", "docs", "infra"];

for (const count of [30, 200, 2000]) {
  const runs = Array.from({ length: count }, (_, n) => {
    const document = aRun(n, MODELS[n % 5], (n * 7919) % 10 < 3 + (n % 5), 0.5 + (n % 11) / 5);
    const task = { ...document.run.task, type: TYPES[n % 6], repo: `acme/r${n % 25}` };
    const changed = { ...document, run: { ...document.run, task } };
    return readRun({ document: changed, z: n % 3 === 0 ? 0 : 1, tier: "verified" }, NOW);
  });
  const started = performance.now();
  const cpu = process.cpuUsage();
  const belief = fitBelief(runs, SHIPPED_PRIOR);
  const { user } = process.cpuUsage(cpu);
  const nodes = Math.max(belief.success.nodes.ids.length, belief.cost.nodes.ids.length);
  console.log(
    `${count} runs, ${nodes} effects: ${Math.round(performance.now() - started)} ms (${Math.round(user / 1000)} ms of processor)`,
  );
}

await unload();

async function sources(paths) {
  const loaded = [];
  for (const path of paths) loaded.push(await load(path));
  return Object.assign({}, ...loaded);
}
