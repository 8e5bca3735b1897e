import { fixed, percent, print, total } from "./table.mjs";

/** As beliefs of chances: of 80% ranges over settings that were not seen before. */
const LIMITS = { low: 0.74, high: 0.86, wide: 0.92 };

export default {
  name: "accepted",
  title: "80% beliefs of the expected cost of an accepted result, settings not seen before",
  cells(isQuick) {
    const sizes = isQuick
      ? [[60, 5]]
      : [
          [60, 60],
          [200, 60],
          [600, 30],
        ];
    return sizes.flatMap(([runs, users]) => ["normal", "blow-ups"].map((noise) => ({ runs, noise, users })));
  },
  user({ acceptedCostStudy }, { runs, noise }, seed) {
    return acceptedCostStudy(9000 + seed, runs, noise);
  },
  print(rows) {
    const found = rows.map(({ cell, users }) => {
      const { ranges, held, held95, off } = total(users);
      return { cell, held: held / ranges, held95: held95 / ranges, off: off / ranges };
    });
    print(
      ["runs", "noise", "80%", "95%", "|ln off|"],
      found.map(({ cell, held, held95, off }) => [
        `${cell.runs}`,
        cell.noise,
        percent(held),
        percent(held95),
        fixed(off, 3),
      ]),
    );
    return found.map(({ cell, held, held95 }) => ({
      what: `${cell.runs} runs, ${cell.noise}: 74-86% and 92%`,
      isMet: held >= LIMITS.low && held <= LIMITS.high && held95 >= LIMITS.wide,
    }));
  },
};
