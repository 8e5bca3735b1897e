// Beside the ranges of parts: costs whose attempts share noise, models that change, and an exact sampler's belief.

const COSTS = [
  [60, 40],
  [300, 15],
];
const PARTS = { low: 0.75, high: 0.86, wide: 0.91 };
const RUNS = { low: 0.76, high: 0.84, wide: 0.92 };
/** What steps in time may leave of the loss of a model that jumped: the design's prototype left 0.53 and 0.55. */
const DRIFT = 0.6;
const GIBBS = { runs: 200, sets: 15, all: 1100, dropped: 100 };

export const STUDY_SOURCES = [
  "src/testing/cost-study.ts",
  "src/testing/drift-study.ts",
  "src/testing/exact-sampler.ts",
  "src/learn/kernels/keyed-random.ts",
  "src/learn/kernels/quadrature.ts",
];

/** Prints what they found and says whether a target was missed. */
export function furtherStudies(study, isQuick) {
  const misses = [costs(study, isQuick), drift(study, isQuick), sampler(study, isQuick)];
  return misses.includes(true);
}

const percent = (share) => `${(100 * share).toFixed(1)}%`.padStart(6);

function costs(study, isQuick) {
  console.log("\ncosts: 80% ranges of parts and of whole runs, 1 to 3 attempts that share a run's noise");
  console.log("runs  noise     parts: all   real   95%  | new runs: 80%   95%");
  let isMissed = false;
  for (const [runs, sets] of isQuick ? [[60, 8]] : COSTS) {
    for (const noise of ["normal", "t4", "blow-ups"]) {
      const counts = { ...study.NO_COUNTS };
      for (let seed = 0; seed < sets; seed += 1) study.addCostStudy(counts, 5000 + seed, runs, noise);
      const [all, wide] = [counts.held / counts.parts, counts.held95 / counts.parts];
      const [held, held95] = [counts.runsHeld / counts.runs, counts.runsHeld95 / counts.runs];
      const isOut =
        all < PARTS.low ||
        all > PARTS.high ||
        wide < PARTS.wide ||
        held < RUNS.low ||
        held > RUNS.high ||
        held95 < RUNS.wide;
      isMissed ||= !isQuick && isOut;
      console.log(
        `${String(runs).padStart(4)}  ${noise.padEnd(9)}     ${percent(all)} ${percent(counts.realHeld / counts.real)} ${percent(wide)} |        ${percent(held)} ${percent(held95)}${!isQuick && isOut ? "  MISSED" : ""}`,
      );
    }
  }
  return isMissed;
}

function drift(study, isQuick) {
  console.log("\ndrift: nats a run lost in the two months after one model jumped (all runs / that model)");
  const sets = isQuick ? 1 : 14;
  const options = { runsPerMonth: isQuick ? 60 : 150, every: isQuick ? 30 : 15 };
  let isMissed = false;
  for (const jump of [0, 1, -1]) {
    const [still, steps] = [false, true].map((hasSteps) => {
      const sums = { all: 0, runs: 0, jumped: 0, jumpedRuns: 0 };
      for (let seed = 0; seed < sets; seed += 1) {
        study.addDriftStudy(sums, 700 + seed, { ...options, jump, hasSteps });
      }
      return { all: sums.all / sums.runs, jumped: sums.jumped / sums.jumpedRuns };
    });
    const isOut = jump === 0 ? steps.all > still.all + 0.004 : steps.jumped > DRIFT * still.jumped;
    isMissed ||= !isQuick && isOut;
    const text = ({ all, jumped }) => `${all.toFixed(4)} / ${jumped.toFixed(4)}`;
    console.log(
      `jump ${String(jump).padStart(2)}: without steps ${text(still)}, with ${text(steps)}${!isQuick && isOut ? "  MISSED" : ""}`,
    );
  }
  return isMissed;
}

/** One sampler with half-t scales, and the mixture, on the same data. */
function sampler(study, isQuick) {
  const sets = isQuick ? 1 : GIBBS.sets;
  const sum = { parts: 0, exact: 0, mixture: 0, exactLoss: 0, mixtureLoss: 0, tests: 0 };
  for (let seed = 0; seed < sets; seed += 1) {
    const data = study.simulateRuns(40_000 + seed, {
      runs: GIBBS.runs,
      parts: 20,
      effects: "sparseMed",
      tests: 40,
    });
    const head = study.fitBinaryHead(study.binaryData(data.rows), { plain: study.STUDY_PRIOR });
    const prior = {
      mean: (id) => study.STUDY_PRIOR.node(id).mean,
      sd: (id) => (study.STUDY_PRIOR.node(id).isScaled ? undefined : 2),
    };
    const numbers = study.inOrder(study.keyedStream(seed, "exact sampler"));
    const sampled = study.sampleEffects(data.rows, prior, GIBBS, numbers);
    for (const part of data.parts) {
      const truth = data.truth.get(part);
      const own = sampled.effects.map((b) => b[sampled.ids.indexOf(part)] ?? 0).sort((a, b) => a - b);
      const at = (share) => own[Math.round(share * (own.length - 1))];
      const { range } = study.beliefOf(head, [[part, 1]]);
      sum.parts += 1;
      sum.exact += at(0.1) <= truth && truth <= at(0.9) ? 1 : 0;
      sum.mixture += range.lo <= truth && truth <= range.hi ? 1 : 0;
    }
    for (const { terms, chance } of data.test) {
      const { mean, range } = study.beliefOf(head, terms);
      const sd = (range.hi - range.lo) / (2 * study.normalQuantile(0.9));
      const loss = (p) => chance * Math.log(chance / p) + (1 - chance) * Math.log((1 - chance) / (1 - p));
      sum.tests += 1;
      sum.exactLoss += loss(study.sampledChance(sampled, terms));
      sum.mixtureLoss += loss(study.logisticNormalMean(mean, sd * sd));
    }
  }
  const [exact, mixture] = [sum.exactLoss / sum.tests, sum.mixtureLoss / sum.tests];
  const isMissed = !isQuick && mixture > exact + 0.003;
  console.log(
    `\nexact sampling (${GIBBS.all} sweeps, half-t scales) against the mixture, ${sets} users of ${GIBBS.runs} runs`,
  );
  console.log(
    `belief's 80% ranges of parts: ${percent(sum.exact / sum.parts)} and ${percent(sum.mixture / sum.parts)}; nats lost a run: ${exact.toFixed(4)} and ${mixture.toFixed(4)}${isMissed ? "  MISSED" : ""}`,
  );
  return isMissed;
}
