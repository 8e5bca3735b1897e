// The calibration study: do the ranges hold what they say? `npm run bench:calibration`, or
// `node bench/calibration.mjs --quick` for a small one.
// Simulated users whose true effects are known; every row is one regime of effects at one number of runs.
import { furtherStudies, STUDY_SOURCES } from "./calibration-more.mjs";
import { load, unload } from "./lib.mjs";

const isQuick = process.argv.includes("--quick");
const study = await sources([
  "src/learn/fit/design.ts",
  "src/learn/fit/fit-head.ts",
  "src/learn/ranges/effect.ts",
  "src/learn/kernels/normal.ts",
  "src/testing/learner-lab.ts",
  "src/verify/experiments/sequential.ts",
  ...STUDY_SOURCES,
]);

const REGIMES = [
  "sparseMed",
  "sparseLarge",
  "rareHuge",
  "half",
  "fixedMed",
  "denseSmall",
  "denseMed",
  "null",
];
const SIZES = isQuick
  ? [
      [30, 10],
      [200, 10],
    ]
  : [
      [30, 100],
      [200, 60],
      [2000, 30],
    ];
/** What a row must reach from 200 runs on. */
const LIMITS = { low: 0.76, high: 0.85, real: 0.72, wide: 0.91 };

let isMissed = false;
console.log(
  "runs  effects      80% range: all  real  | 95%  | width | belief: all  real | chance of new runs | ms",
);
for (const [runs, replicates] of SIZES) {
  for (const effects of REGIMES) {
    const row = regime(runs, replicates, effects);
    const misses = runs < 200 || isQuick ? [] : missesOf(row);
    isMissed ||= misses.length > 0;
    console.log(
      [
        String(runs).padStart(4),
        effects.padEnd(12),
        "          ",
        percent(row.held),
        percent(row.realHeld),
        "|",
        percent(row.held95),
        "|",
        row.width.toFixed(2).padStart(5),
        "|        ",
        percent(row.believed),
        percent(row.realBelieved),
        "|               ",
        percent(row.tests),
        "|",
        String(Math.round(row.ms)),
        misses.join(", "),
      ].join(" "),
    );
  }
}
console.log("\nfalse adoption and power of the sequential test within 64 pairs, by enumeration");
const threshold = study.adoptThreshold(64, 0.05);
const rates = Array.from({ length: 50 }, (_, i) => (i + 1) / 50);
const worst = Math.max(...rates.map((rate) => study.adoptionProb(64, threshold, rate / 2, rate / 2, false)));
console.log(`worst false adoption ${worst.toFixed(4)} (stated 0.05)`);
isMissed ||= worst > 0.05;
for (const [base, candidate] of [
  [0.5, 0.6],
  [0.5, 0.7],
  [0.6, 0.8],
  [0.7, 0.8],
  [0.5, 0.9],
]) {
  const power = study.adoptionProb(64, threshold, candidate * (1 - base), base * (1 - candidate));
  console.log(`${base} -> ${candidate}: adopted ${percent(power)}`);
}
isMissed = furtherStudies(study, isQuick) || isMissed;
process.exitCode = isMissed ? 1 : 0;
await unload();

function missesOf(row) {
  const found = [];
  if (row.held < LIMITS.low || row.held > LIMITS.high) found.push("MISSED: all");
  if (row.real > 0 && row.realHeld < LIMITS.real) found.push("MISSED: real");
  if (row.held95 < LIMITS.wide) found.push("MISSED: 95%");
  return found;
}

function percent(share) {
  return Number.isNaN(share) ? "    -" : `${(100 * share).toFixed(1)}%`.padStart(5);
}

function regime(runs, replicates, effects) {
  const sum = { all: 0, held: 0, held95: 0, real: 0, realHeld: 0, believed: 0, realBelieved: 0, width: 0 };
  let tests = 0;
  let testsHeld = 0;
  const started = performance.now();
  for (let seed = 0; seed < replicates; seed += 1) {
    const data = study.simulateRuns(10_000 + seed, { runs, parts: 20, effects, tests: 20 });
    const head = study.fitBinaryHead(study.binaryData(data.rows), { plain: study.STUDY_PRIOR });
    for (const [part, view] of study.partEffects(head)) {
      const truth = data.truth.get(part);
      const isIn = (range) => range === undefined || (range.lo <= truth && truth <= range.hi);
      sum.all += 1;
      sum.held += isIn(view.range?.range80) ? 1 : 0;
      sum.held95 += isIn(view.range?.range95) ? 1 : 0;
      sum.width += view.range === undefined ? 0 : view.range.range80.hi - view.range.range80.lo;
      sum.believed += isIn(view.belief) ? 1 : 0;
      if (truth === 0) continue;
      sum.real += 1;
      sum.realHeld += isIn(view.range?.range80) ? 1 : 0;
      sum.realBelieved += isIn(view.belief) ? 1 : 0;
    }
    for (const { terms, chance } of data.test) {
      const { range } = study.beliefOf(head, terms);
      tests += 1;
      if (study.logistic(range.lo) <= chance && chance <= study.logistic(range.hi)) testsHeld += 1;
    }
  }
  return {
    held: sum.held / sum.all,
    held95: sum.held95 / sum.all,
    real: sum.real,
    realHeld: sum.realHeld / sum.real,
    believed: sum.believed / sum.all,
    realBelieved: sum.realBelieved / sum.real,
    width: sum.width / sum.all,
    tests: testsHeld / tests,
    ms: (performance.now() - started) / replicates,
  };
}

async function sources(paths) {
  const loaded = [];
  for (const path of paths) loaded.push(await load(path));
  return Object.assign({}, ...loaded);
}
