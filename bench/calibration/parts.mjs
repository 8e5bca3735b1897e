import { fixed, percent, print, total } from "./table.mjs";

/** What rows of 200 runs and more must reach, each and on average; the width as a multiple of the same rule with known spreads. */
const LIMITS = {
  fromRuns: 200,
  low: 0.76,
  high: 0.85,
  real: 0.72,
  wide: 0.91,
  meanReal: 0.75,
  meanWidth: 1.1,
};
const USERS = { 30: 100, 200: 60, 2000: 30 };
/** Parts that repositories adopt share their effects with time: it takes more users to see through that. */
const STEP_USERS = 90;
/** Runs, effects, design, parts; then what the prototype's 80% ranges held of all and of real effects, the 95% ranges, the
 * width, and the width as a multiple. */
const DESIGN = [
  [30, "sparseMed", "mid", 20, 83, 83, 97, 2.67, 1.2],
  [30, "sparseLarge", "mid", 20, 84, 83, 97, 2.8, 1.14],
  [30, "rareHuge", "mid", 20, 82, 85, 98, 2.73, 1.14],
  [30, "half", "mid", 20, 83, 84, 97, 2.75, 1.17],
  [30, "fixedMed", "mid", 20, 83, 82, 97, 2.61, 1.21],
  [30, "denseSmall", "mid", 20, 83, 83, 97, 2.64, 1.22],
  [30, "denseMed", "mid", 20, 82, 82, 97, 2.92, 1.14],
  [30, "null", "mid", 20, 83, undefined, 98, 2.5, undefined],
  [200, "sparseMed", "mid", 20, 80, 79, 95, 0.88, 1.03],
  [200, "sparseLarge", "mid", 20, 79, 78, 95, 0.97, 1.03],
  [200, "rareHuge", "mid", 20, 80, 74, 95, 1.0, 1.02],
  [200, "half", "mid", 20, 78, 78, 95, 0.96, 1.02],
  [200, "fixedMed", "mid", 20, 78, 78, 95, 0.88, 1.03],
  [200, "denseSmall", "mid", 20, 79, 79, 95, 0.88, 1.04],
  [200, "denseMed", "mid", 20, 78, 78, 94, 1.04, 1.02],
  [200, "null", "mid", 20, 83, undefined, 96, 0.81, undefined],
  [2000, "sparseMed", "mid", 20, 79, 81, 95, 0.32, 1.02],
  [2000, "sparseLarge", "mid", 20, 81, 80, 95, 0.36, 1.0],
  [2000, "rareHuge", "mid", 20, 78, 79, 92, 0.34, 0.98],
  [2000, "half", "mid", 20, 78, 77, 93, 0.35, 1.0],
  [2000, "fixedMed", "mid", 20, 78, 76, 94, 0.31, 1.0],
  [2000, "denseSmall", "mid", 20, 79, 79, 94, 0.32, 1.0],
  [2000, "denseMed", "mid", 20, 78, 78, 94, 0.38, 1.01],
  [2000, "null", "mid", 20, 79, undefined, 95, 0.26, undefined],
  [200, "sparseMed", "step", 20, 82, 82, 95, 1.06, 1.05],
  [200, "rareHuge", "step", 20, 82, 74, 96, 1.14, 1.01],
  [200, "denseMed", "step", 20, 80, 80, 95, 1.23, 1.02],
  [2000, "sparseMed", "step", 20, 84, 84, 97, 0.39, 0.99],
  [2000, "denseMed", "step", 20, 77, 77, 95, 0.48, 1.0],
  [200, "sparseMed", "mid", 5, 78, 77, 94, 0.81, 1.04],
  [200, "denseMed", "mid", 5, 79, 79, 95, 0.91, 1.03],
  [200, "sparseMed", "mid", 40, 81, 81, 96, 0.96, 1.04],
  [200, "denseMed", "mid", 40, 77, 77, 94, 1.18, 1.04],
];

export default {
  name: "parts",
  title: "ranges of any size of the effects of harness parts, beliefs of them, and of the chance of new runs",
  cells(isQuick) {
    const rows = isQuick ? DESIGN.filter(([runs, , design]) => runs < 2000 && design === "mid") : DESIGN;
    return rows.map(([runs, effects, design, parts, ...known]) => ({
      runs,
      effects,
      design,
      parts,
      known,
      users: isQuick ? 3 : design === "step" ? STEP_USERS : USERS[runs],
    }));
  },
  user(lib, { runs, effects, design, parts }, seed) {
    const data = lib.simulateRuns(10_000 + seed, { runs, parts, effects, design, tests: 20 });
    const packed = lib.binaryData(data.rows);
    const head = lib.fitBinaryHead(packed, { plain: lib.STUDY_PRIOR });
    const sums = { ...partSums(lib, head, data), tests: 0, testsHeld: 0, knownWidth: 0, ranges: 0 };
    for (const { terms, chance } of data.test) {
      const { range } = lib.beliefOf(head, terms);
      sums.tests += 1;
      sums.testsHeld += Number(lib.logistic(range.lo) <= chance && chance <= lib.logistic(range.hi));
    }
    return effects === "null" ? sums : { ...sums, ...knownWidths(lib, packed, effects) };
  },
  print(rows) {
    const found = rows.map(({ cell, users }) => ({ cell, ...sharesOf(total(users)) }));
    print(
      [
        "runs",
        "effects",
        "design",
        "parts",
        "all",
        "real",
        "95%",
        "width",
        "by known",
        "belief",
        "real",
        "new runs",
      ],
      found.map(({ cell: { runs, effects, design, parts, known }, ...shares }) => [
        `${runs}`,
        effects,
        design,
        `${parts}`,
        percent(shares.held, known[0]),
        percent(shares.realHeld, known[1]),
        percent(shares.held95, known[2]),
        fixed(shares.width, 2, known[3]),
        Number.isNaN(shares.multiple) ? "-" : fixed(shares.multiple, 2, known[4]),
        percent(shares.believed),
        percent(shares.realBelieved),
        percent(shares.tests),
      ]),
    );
    const judged = found.filter(({ cell }) => cell.runs >= LIMITS.fromRuns);
    const real = mean(judged.map(({ realHeld }) => realHeld));
    const multiple = mean(judged.map((row) => row.multiple));
    return [
      ...judged.map(({ cell: { runs, effects, design, parts }, ...row }) => ({
        what: `${runs} runs, ${effects}, ${design}, ${parts} parts: 76-85% of all, 72% of real ones, 95% ranges 91%`,
        isMet:
          row.held >= LIMITS.low &&
          row.held <= LIMITS.high &&
          !(row.realHeld < LIMITS.real) &&
          row.held95 >= LIMITS.wide,
      })),
      { what: `75% of real ones on average: ${(100 * real).toFixed(1)}%`, isMet: real >= LIMITS.meanReal },
      {
        what: `at most ${LIMITS.meanWidth} of the width with known spreads on average: ${multiple.toFixed(3)}`,
        isMet: multiple <= LIMITS.meanWidth,
      },
    ];
  },
};

function partSums({ partEffects }, head, { truth }) {
  const sums = {
    all: 0,
    held: 0,
    held95: 0,
    real: 0,
    realHeld: 0,
    believed: 0,
    realBelieved: 0,
    width: 0,
    identified: 0,
  };
  for (const [part, { range, belief }] of partEffects(head)) {
    const effect = truth.get(part);
    const isReal = Number(effect !== 0);
    const holds = (one) => Number(one === undefined || (one.lo <= effect && effect <= one.hi));
    sums.all += 1;
    sums.real += isReal;
    sums.held += holds(range?.range80);
    sums.realHeld += isReal * holds(range?.range80);
    sums.held95 += holds(range?.range95);
    sums.believed += holds(belief);
    sums.realBelieved += isReal * holds(belief);
    if (range === undefined) continue;
    sums.identified += 1;
    sums.width += range.range80.hi - range.range80.lo;
  }
  return sums;
}

/** The widths of the same rule for somebody who knows the true spreads. */
function knownWidths(lib, packed, effects) {
  const ranges = lib.knownSpreadRanges(packed, effects);
  return { ranges: ranges.length, knownWidth: ranges.reduce((sum, { lo, hi }) => sum + hi - lo, 0) };
}

function sharesOf(sums) {
  const width = sums.width / sums.identified;
  return {
    held: sums.held / sums.all,
    realHeld: sums.realHeld / sums.real,
    held95: sums.held95 / sums.all,
    believed: sums.believed / sums.all,
    realBelieved: sums.realBelieved / sums.real,
    tests: sums.testsHeld / sums.tests,
    width,
    multiple: width / (sums.knownWidth / sums.ranges),
  };
}

/** Of those that are numbers: with no real effect there is no share of them. */
function mean(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
