import { percent, print, total } from "./table.mjs";

/** Of ten equally likely bins of the true chance's rank among draws of the belief. */
const BINS = 10;
const LIMIT = 25;
const DRAWS = 999;
const DESIGN = { 30: { held: 78.4, held95: 94.5 }, 200: { held: 78.5, held95: 94.4 } };

export default {
  name: "ranks",
  title: "ranks of the true chance of new settings among draws of the belief, users drawn from the prior",
  cells: (isQuick) => [30, 200].map((runs) => ({ runs, users: isQuick ? 10 : 300 })),
  user(lib, { runs }, seed) {
    const data = lib.simulateRuns(60_000 + seed, {
      runs,
      parts: 10,
      effects: "null",
      tests: 40,
      isFromPrior: true,
    });
    const head = lib.fitBinaryHead(lib.binaryData(data.rows), { plain: lib.STUDY_PRIOR });
    const draws = new lib.HeadDraws(head, "success", seed, DRAWS);
    const sums = { tests: 0, held: 0, held95: 0 };
    for (let bin = 0; bin < BINS; bin += 1) sums[bin] = 0;
    for (const { terms, chance } of data.test) {
      const below = draws.sum(terms).filter((eta) => lib.logistic(eta) < chance).length / (DRAWS + 1);
      sums[Math.floor(below * BINS)] += 1;
      sums.tests += 1;
      sums.held += Number(below >= 0.1 && below < 0.9);
      sums.held95 += Number(below >= 0.025 && below < 0.975);
    }
    return sums;
  },
  print(rows) {
    const found = rows.map(({ cell: { runs }, users }) => {
      const sums = total(users);
      const bins = Array.from({ length: BINS }, (_, bin) => sums[bin]);
      const expected = sums.tests / BINS;
      const square = bins.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      return { runs, sums, bins, square };
    });
    print(
      ["runs", "80%", "95%", "chi-square(9)", "ranks in tenths, %"],
      found.map(({ runs, sums, bins, square }) => [
        `${runs}`,
        percent(sums.held / sums.tests, DESIGN[runs].held),
        percent(sums.held95 / sums.tests, DESIGN[runs].held95),
        square.toFixed(1),
        bins.map((count) => ((100 * count) / sums.tests).toFixed(1)).join(" "),
      ]),
    );
    const { square } = found.find(({ runs }) => runs === 200);
    return [{ what: `chi-square below ${LIMIT} at 200 runs`, isMet: square < LIMIT }];
  },
};
