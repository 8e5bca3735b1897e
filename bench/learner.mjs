// How long a fit takes: `npm run bench -- learner`. Simulated users with a usual and with a large catalogue of
// repositories, models, shapes and harness parts. `--all` adds 100,000 runs.
import { bundled, report } from "./lib.mjs";

const { fitBelief, SHIPPED_PRIOR, simulateUser, USUAL_CATALOGUE, LARGE_CATALOGUE } = await bundled([
  "src/learn/index.ts",
  "src/learn/prior/load.ts",
  "src/testing/learner-catalogue.ts",
]);

const FITS = [
  ["usual", USUAL_CATALOGUE, 30, undefined],
  ["usual", USUAL_CATALOGUE, 200, undefined],
  ["usual", USUAL_CATALOGUE, 2000, 1000],
  ["large", LARGE_CATALOGUE, 2000, 2000],
  ...(process.argv.includes("--all") ? [["usual", USUAL_CATALOGUE, 100_000, 10_000]] : []),
];

for (const [name, catalogue, count, target] of FITS) {
  const runs = simulateUser(1, count, catalogue);
  const cpu = process.cpuUsage();
  const belief = fitBelief(runs, SHIPPED_PRIOR);
  const { user, system } = process.cpuUsage(cpu);
  const effects = Math.max(belief.success.nodes.ids.length, belief.cost.nodes.ids.length);
  report(
    `fit of ${count} runs, ${name} catalogue, ${effects} effects`,
    (user + system) / 1000,
    "ms of processor",
    target,
  );
}
