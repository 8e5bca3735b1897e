import { percent, print, total } from "./table.mjs";

const PARTS = { low: 0.75, high: 0.86, wide: 0.91 };
const RUNS = { low: 0.76, high: 0.84, wide: 0.92 };
/** Parts: all, those that are something, the 95% range. */
const DESIGN = {
  normal: { 60: [79, 79, 95], 300: [78, 78, 94] },
  t4: { 60: [80, 82, 95], 300: [82, 88, 94] },
  "blow-ups": { 60: [78, 75, 94], 300: [80, 77, 95] },
};

export default {
  name: "costs",
  title: "80% ranges of what parts and whole runs cost, 1 to 3 attempts that share a run's noise",
  cells(isQuick) {
    const sizes = isQuick
      ? [[60, 8]]
      : [
          [60, 60],
          [300, 30],
        ];
    return sizes.flatMap(([runs, users]) => Object.keys(DESIGN).map((noise) => ({ runs, noise, users })));
  },
  user({ addCostStudy, NO_COUNTS }, { runs, noise }, seed) {
    const counts = { ...NO_COUNTS };
    addCostStudy(counts, 5000 + seed, runs, noise);
    return counts;
  },
  print(rows) {
    const found = rows.map(({ cell, users }) => ({ cell, shares: sharesOf(total(users)) }));
    print(
      ["runs", "noise", "parts: all", "real", "95%", "new runs: 80%", "95%"],
      found.map(({ cell: { runs, noise }, shares }) => {
        const [all, real, wide] = DESIGN[noise][runs];
        return [
          `${runs}`,
          noise,
          percent(shares.all, all),
          percent(shares.real, real),
          percent(shares.wide, wide),
          percent(shares.held),
          percent(shares.held95),
        ];
      }),
    );
    return found.map(({ cell: { runs, noise }, shares: { all, wide, held, held95 } }) => ({
      what: `${runs} runs, ${noise}: parts 75-86% and 91%, new runs 76-84% and 92%`,
      isMet:
        all >= PARTS.low &&
        all <= PARTS.high &&
        wide >= PARTS.wide &&
        held >= RUNS.low &&
        held <= RUNS.high &&
        held95 >= RUNS.wide,
    }));
  },
};

function sharesOf({ parts, held, real, realHeld, held95, runs, runsHeld, runsHeld95 }) {
  return {
    all: held / parts,
    real: realHeld / real,
    wide: held95 / parts,
    held: runsHeld / runs,
    held95: runsHeld95 / runs,
  };
}
