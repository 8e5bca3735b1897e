import { fixed, percent, print, total } from "./table.mjs";

/** Nats that a shipped prior may cost from this many runs on, and what ranges of effects must hold however wrong it is. */
const LIMITS = { cost: 0.005, fromRuns: 100, low: 0.74, high: 0.89 };
const OFF = [0, 0.3, 1, 2];
/** Where a wrong prior is judged by the fewest runs, it takes more of them to tell 0.005 nats from chance. */
const USERS = { 10: 60, 30: 60, 100: 200, 300: 60 };
/** Lost without a prior, with it alone, mixed; its weight; ranges of any size and beliefs that held, in percent. */
const DESIGN = {
  10: [
    [0.131, 0.077, 0.084, 0.8, 89, 100],
    [0.131, 0.079, 0.086, 0.79, 86, 100],
    [0.131, 0.114, 0.109, 0.7, 84, 78],
    [0.131, 0.214, 0.149, 0.52, 82, 49],
  ],
  30: [
    [0.091, 0.044, 0.048, 0.87, 85, 100],
    [0.091, 0.048, 0.051, 0.85, 84, 100],
    [0.091, 0.085, 0.078, 0.63, 81, 76],
    [0.091, 0.174, 0.098, 0.27, 76, 52],
  ],
  100: [
    [0.063, 0.031, 0.032, 0.96, 83, 100],
    [0.063, 0.034, 0.035, 0.94, 82, 99],
    [0.063, 0.061, 0.058, 0.57, 79, 71],
    [0.063, 0.102, 0.063, 0.09, 75, 63],
  ],
  300: [
    [0.0318, 0.0171, 0.0171, 1, 83, 100],
    [0.0318, 0.0194, 0.0196, 0.98, 82, 96],
    [0.0318, 0.0321, 0.0307, 0.55, 79, 76],
    [0.0318, 0.041, 0.0318, 0.03, 76, 72],
  ],
};

export default {
  name: "prior",
  title:
    "a shipped prior whose means are so many true spreads off; nats lost a run, effects of types and models",
  cells(isQuick) {
    const sizes = isQuick ? [30] : Object.keys(USERS).map(Number);
    return sizes.flatMap((runs) => OFF.map((off) => ({ runs, off, users: isQuick ? 5 : USERS[runs] })));
  },
  user({ priorStudy }, { runs, off }, seed) {
    return priorStudy(20_000 + seed, runs, off);
  },
  print(rows) {
    const found = rows.map(({ cell, users }) => ({ cell, ...meansOf(total(users)), error: errorOf(users) }));
    print(
      [
        "runs",
        "off",
        "no prior",
        "shipped",
        "mixed",
        "mixed - no prior",
        "weight",
        "any size",
        "belief of shipped",
      ],
      found.map(({ cell: { runs, off }, plain, shipped, mixed, error, weight, held, believed }) => {
        const known = DESIGN[runs][OFF.indexOf(off)];
        return [
          `${runs}`,
          `${off}`,
          fixed(plain, 4, known[0]),
          fixed(shipped, 4, known[1]),
          fixed(mixed, 4, known[2]),
          `${fixed(mixed - plain, 4)} ±${fixed(error, 4)}`,
          fixed(weight, 2, known[3]),
          percent(held, known[4]),
          percent(believed, known[5]),
        ];
      }),
    );
    return found.flatMap(({ cell: { runs, off }, plain, mixed, held }) => [
      ...(runs < LIMITS.fromRuns
        ? []
        : [
            {
              what: `${runs} runs, ${off} off: at most ${LIMITS.cost} nats more than without`,
              isMet: mixed <= plain + LIMITS.cost,
            },
          ]),
      {
        what: `${runs} runs, ${off} off: ranges of any size hold 74-89%`,
        isMet: held >= LIMITS.low && held <= LIMITS.high,
      },
    ]);
  },
};

function meansOf({ tests, plainLoss, shippedLoss, mixedLoss, weight, users, effects, held, believed }) {
  return {
    plain: plainLoss / tests,
    shipped: shippedLoss / tests,
    mixed: mixedLoss / tests,
    weight: weight / users,
    held: held / effects,
    believed: believed / effects,
  };
}

/** The standard error of what the mixture loses beyond the fit without a shipped prior. */
function errorOf(users) {
  const more = users.map(({ tests, mixedLoss, plainLoss }) => (mixedLoss - plainLoss) / tests);
  const mean = more.reduce((sum, value) => sum + value, 0) / more.length;
  const squares = more.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (more.length * (more.length - 1)));
}
