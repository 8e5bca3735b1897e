// One process of the calibration study: takes lots of simulated users until there are none left.
import { bundled } from "../lib.mjs";
import { STUDIES } from "./studies.mjs";

const lib = await bundled([
  "src/learn/fit/design.ts",
  "src/learn/fit/fit-head.ts",
  "src/learn/kernels/keyed-random.ts",
  "src/learn/kernels/normal.ts",
  "src/learn/predict/draws.ts",
  "src/learn/ranges/effect.ts",
  "src/testing/accepted-cost-study.ts",
  "src/testing/belief-loss.ts",
  "src/testing/cost-study.ts",
  "src/testing/drift-study.ts",
  "src/testing/exact-sampler.ts",
  "src/testing/known-spreads.ts",
  "src/testing/learner-lab.ts",
  "src/testing/prior-study.ts",
  "src/verify/experiments/index.ts",
  "src/verify/experiments/sequential.ts",
]);
process.on("message", ({ study, cell, seeds }) => {
  const { user } = STUDIES.find(({ name }) => name === study);
  process.send(seeds.map((seed) => user(lib, cell, seed)));
});
process.send([]);
