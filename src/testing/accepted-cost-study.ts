import { binaryData } from "../learn/fit/design.ts";
import { fitBinaryHead, fitNumberHead } from "../learn/fit/fit-head.ts";
import { numberData } from "../learn/fit/number-data.ts";
import { plainPrior } from "../learn/fit/prior-table.ts";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
import { logistic } from "../learn/kernels/normal.ts";
import { at } from "../learn/kernels/vector.ts";
import { HeadDraws } from "../learn/predict/draws.ts";
import type { Term } from "../learn/rows/terms.ts";
import { BLOW_UPS, type CostNoise, OMEGA, SIGMA, strayed } from "./cost-study.ts";
import { inOrder, simulateRuns } from "./learner-lab.ts";

/** How many ranges of the expected cost of an accepted result held it, and how far their middles were off. */
export interface AcceptedCostCounts {
  readonly ranges: number;
  readonly held: number;
  readonly held95: number;
  /** |ln of the middle over the truth|, added up. */
  readonly off: number;
}

/** Noise of which an expected cost exists. */
export type BoundedNoise = Exclude<CostNoise, "t4">;

const DRAWS = 400;
const TESTS = 40;
/** Attempts of each foretold run. */
const ATTEMPTS = 2;
const SD = 0.3;

/**
 * One user whose runs have a verdict and a cost: what an accepted result costs with settings not seen before, the
 * expected cost of a run over its chance, is foretold by both heads draw by draw.
 */
export function acceptedCostStudy(seed: number, runs: number, noise: BoundedNoise): AcceptedCostCounts {
  const data = simulateRuns(seed, { runs, parts: 8, effects: "half", tests: TESTS });
  const lnCost = (terms: readonly Term[]) =>
    terms.reduce((sum, [id]) => sum + SD * keyedStream(seed, `dear ${id}`).normal(1), 0);
  const numbers = inOrder(keyedStream(seed, `accepted cost ${noise}`));
  const rows = data.rows.flatMap(({ terms }, n) => {
    const shared = lnCost(terms) + OMEGA * numbers.normal();
    const attempts = Array.from({ length: 1 + Math.floor(3 * numbers.uniform()) });
    return attempts.map(() => ({ terms, y: shared + strayed(numbers, noise), weight: 1, group: `run ${n}` }));
  });
  const chances = new HeadDraws(
    fitBinaryHead(binaryData(data.rows), { plain: plainPrior("success") }),
    "success",
    1,
    DRAWS,
  );
  const costs = new HeadDraws(
    fitNumberHead(numberData(rows), { plain: plainPrior("cost") }),
    "cost",
    1,
    DRAWS,
  );
  const { sigma, omega } = costs.noise();
  const sums = { ranges: 0, held: 0, held95: 0, off: 0 };
  for (const { terms, chance } of data.test) {
    const eta = chances.sum(terms);
    const drawn = costs
      .sum(terms)
      .map((ln, d) => {
        const usd = ATTEMPTS * Math.exp(ln + (at(sigma, d) ** 2 + at(omega, d) ** 2) / 2);
        return usd / logistic(at(eta, d));
      })
      .sort();
    const truth = (ATTEMPTS * Math.exp(lnCost(terms)) * factorOf(noise)) / chance;
    const quantile = (share: number) => at(drawn, Math.round(share * (DRAWS - 1)));
    sums.ranges += 1;
    sums.held += Number(quantile(0.1) <= truth && truth <= quantile(0.9));
    sums.held95 += Number(quantile(0.025) <= truth && truth <= quantile(0.975));
    sums.off += Math.abs(Math.log(quantile(0.5) / truth));
  }
  return sums;
}

/** What noise makes of an expected cost. */
function factorOf(noise: BoundedNoise): number {
  const even = Math.exp((SIGMA ** 2 + OMEGA ** 2) / 2);
  return noise === "normal" ? even : even * (1 + BLOW_UPS.chance * (BLOW_UPS.factor - 1));
}
