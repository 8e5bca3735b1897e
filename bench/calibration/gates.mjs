import { fixed, percent, print, total } from "./table.mjs";

/** Chances of a false adoption may reach this, as enumerated and as simulated. */
const LIMIT = 0.05;
const TESTS_IN_ALL = { ofSame: 5000, ofBetter: 1000 };
/** How many of them a process makes at a time. */
const TESTS = 20;
/** By alpha and most pairs: the smallest belief that adopts, and the chance of a false adoption. */
const THRESHOLDS = {
  0.05: {
    8: [0.980469, 0.035],
    16: [0.980469, 0.04],
    32: [0.980713, 0.041],
    64: [0.980761, 0.0496],
    128: [0.984558, 0.048],
  },
  0.1: {
    8: [0.964844, 0.078],
    16: [0.964844, 0.099],
    32: [0.969286, 0.072],
    64: [0.969286, 0.089],
    128: [0.973881, 0.0997],
  },
};
const POWER = [
  [0.5, 0.6, 22],
  [0.5, 0.7, 63],
  [0.6, 0.8, 69],
  [0.7, 0.8, 26],
  [0.5, 0.9, 100],
];
/** Chances and mean costs of base and candidate, the noise of ln costs, and how often the prototype adopted, in percent. */
const COST_TESTS = {
  "same, .7": { base: [0.7, 1], candidate: [0.7, 1], sd: 0.5, adopted: 3.3, isNull: true },
  "same, .3": { base: [0.3, 1], candidate: [0.3, 1], sd: 1, adopted: 3.1, isNull: true },
  "dearer and better": { base: [0.5, 1], candidate: [0.75, 1.5], sd: 0.5, adopted: 2.5, isNull: true },
  "same, .95": { base: [0.95, 1], candidate: [0.95, 1], sd: 0.5, adopted: 4.6, isNull: true },
  // Beyond what the design tried, and shown without being judged: the most noise at the highest chance.
  "same, .95, sd 1": { base: [0.95, 1], candidate: [0.95, 1], sd: 1, isNull: true, isBeyond: true },
  "30% cheaper": { base: [0.7, 1], candidate: [0.7, 0.7], sd: 0.5, adopted: 54 },
  ".5 to .75": { base: [0.5, 1], candidate: [0.75, 1], sd: 0.5, adopted: 59 },
  "50% cheaper": { base: [0.7, 1], candidate: [0.7, 0.5], sd: 0.5, adopted: 98.9 },
};

export default {
  name: "gates",
  title: "false adoption and power of the paired test",
  cells: (isQuick) => [
    ...Object.entries(THRESHOLDS).flatMap(([alpha, known]) =>
      Object.keys(known)
        .map(Number)
        .filter((pairs) => !isQuick || pairs <= 32)
        .map((pairs) => ({ alpha: Number(alpha), pairs, users: 1 })),
    ),
    { power: true, users: 1 },
    ...Object.entries(COST_TESTS).map(([name, { isNull }]) => ({
      name,
      users: isQuick ? 2 : TESTS_IN_ALL[isNull ? "ofSame" : "ofBetter"] / TESTS,
    })),
  ],
  user(lib, cell, seed) {
    if (cell.power) return powers(lib);
    return cell.name === undefined
      ? lib.computeThreshold(cell.pairs, cell.alpha)
      : costTests(lib, cell.name, seed);
  },
  print(rows) {
    const thresholds = rows.filter(({ cell }) => cell.alpha !== undefined);
    print(
      ["alpha", "pairs", "adopts from", "false adoption"],
      thresholds.map(({ cell: { alpha, pairs }, users: [{ above, attained }] }) => {
        const [known, chance] = THRESHOLDS[alpha][pairs];
        return [`${alpha}`, `${pairs}`, fixed(above, 6, known), fixed(attained, 4, chance)];
      }),
    );
    const { users: power } = rows.find(({ cell }) => cell.power);
    print(
      ["chances", "adopted, %"],
      POWER.map(([base, candidate, known]) => [
        `${base} to ${candidate}`,
        percent(power[0][`${base} ${candidate}`], known),
      ]),
    );
    const costs = rows
      .filter(({ cell }) => cell.name !== undefined)
      .map(({ cell: { name }, users }) => {
        const { adopted, tests, pairs } = total(users);
        return { name, adopted: adopted / tests, pairs: pairs / tests };
      });
    print(
      ["cost of an accepted result", "adopted, %", "pairs"],
      costs.map(({ name, adopted, pairs }) => [
        name,
        percent(adopted, COST_TESTS[name].adopted),
        fixed(pairs, 1),
      ]),
    );
    return [
      ...thresholds.map(({ cell: { alpha, pairs }, users: [{ above, attained }] }) => ({
        what: `within ${pairs} pairs at ${alpha}: the design's threshold, false adoption at most ${alpha}`,
        isMet: Math.abs(above - THRESHOLDS[alpha][pairs][0]) < 1e-6 && attained <= alpha,
      })),
      ...costs
        .filter(({ name }) => COST_TESTS[name].isNull && !COST_TESTS[name].isBeyond)
        .map(({ name, adopted }) => ({
          what: `cost of an accepted result, ${name}: false adoption at most ${LIMIT}`,
          isMet: adopted <= LIMIT,
        })),
    ];
  },
};

function powers({ adoptThreshold, adoptionProb }) {
  const threshold = adoptThreshold(64, 0.05);
  return Object.fromEntries(
    POWER.map(([base, candidate]) => [
      `${base} ${candidate}`,
      adoptionProb(64, threshold, candidate * (1 - base), base * (1 - candidate)),
    ]),
  );
}

function costTests(lib, name, seed) {
  const { base, candidate, sd } = COST_TESTS[name];
  const numbers = lib.inOrder(lib.keyedStream(seed, `cost test ${name}`));
  const arm = ([chance, usd]) => ({
    isAccepted: numbers.uniform() < chance,
    usd: usd * Math.exp(sd * numbers.normal()),
  });
  const rule = { ...lib.DEFAULT_RULE, objective: "cost-per-accepted" };
  const sums = { tests: 0, adopted: 0, pairs: 0 };
  for (let test = 0; test < TESTS; test += 1) {
    const pairs = Array.from({ length: rule.maxPairs }, () => {
      const [a, b] = [arm(base), arm(candidate)];
      return {
        baseAccepted: a.isAccepted,
        candidateAccepted: b.isAccepted,
        baseUsd: a.usd,
        candidateUsd: b.usd,
      };
    });
    const { kind, look } = lib.decideChange(pairs, rule);
    sums.tests += 1;
    sums.adopted += Number(kind === "adopt");
    sums.pairs += look.pairs;
  }
  return sums;
}
