import { binaryData } from "../learn/fit/design.ts";
import { fitBinaryHead } from "../learn/fit/fit-head.ts";
import type { HeadBelief } from "../learn/fit/head-belief.ts";
import { plainPrior, type ShippedNode, shippedPrior } from "../learn/fit/prior-table.ts";
import { keyedStream } from "../learn/kernels/keyed-random.ts";
import { beliefOf, effectView } from "../learn/ranges/effect.ts";
import type { BinaryRow } from "../learn/rows/head-rows.ts";
import { groupOf, type Term } from "../learn/rows/terms.ts";
import { believedChance, natsLost } from "./belief-loss.ts";
import { inOrder, LEVELS, simulateRuns } from "./learner-lab.ts";

/** Sums over the foretold runs, and over the ranges of the effects of types and models. */
export interface PriorCounts {
  readonly tests: number;
  /** Nats lost without a shipped prior, with it alone, and with the two mixed as the product does. */
  readonly plainLoss: number;
  readonly shippedLoss: number;
  readonly mixedLoss: number;
  /** Of the shipped fit in the mixture. */
  readonly weight: number;
  readonly users: number;
  readonly effects: number;
  readonly held: number;
  /** By the belief's range under the shipped prior alone. */
  readonly believed: number;
}

/** Levels whose effects somebody else's runs tell of, by the name that the product gives them. */
const SHARED: Readonly<Record<string, string>> = {
  type: "type",
  model: "model",
  effort: "effort",
  topology: "topology",
  size: "feature:size",
};
const PRINTED = ["type", "model"];
const PARTS = 10;
const TESTS = 40;

/** One user, and a shipped prior whose means are `off` true spreads away from that user's effects. */
export function priorStudy(seed: number, runs: number, off: number): PriorCounts {
  const data = simulateRuns(seed, { runs, parts: PARTS, effects: "sparseMed", tests: TESTS });
  const truth = new Map([...data.truth].map(([id, value]) => [productName(id), value] as const));
  const rows = data.rows.map((row): BinaryRow => ({ ...row, terms: productTerms(row.terms) }));
  const plain = plainPrior("success");
  const shipped = shippedPrior("success", { groups: {}, nodes: shippedNodes(seed, off, data.truth) });
  const packed = binaryData(rows);
  const without = fitBinaryHead(packed, { plain });
  const alone = fitBinaryHead(packed, { plain: shipped });
  const mixed = fitBinaryHead(packed, { plain, shipped });
  const sums = { plainLoss: 0, shippedLoss: 0, mixedLoss: 0, effects: 0, held: 0, believed: 0 };
  for (const { terms, chance } of data.test) {
    const lostBy = (head: HeadBelief) => natsLost(chance, believedChance(head, productTerms(terms)));
    sums.plainLoss += lostBy(without);
    sums.shippedLoss += lostBy(alone);
    sums.mixedLoss += lostBy(mixed);
  }
  for (const id of packed.nodes.ids.filter((node) => PRINTED.includes(groupOf(node)))) {
    const effect = truth.get(id) ?? 0;
    const view = effectView(mixed, [[id, 1]]);
    const believed = beliefOf(alone, [[id, 1]]).range;
    const printed = view.range?.range80;
    sums.effects += 1;
    sums.held += Number(printed === undefined || (printed.lo <= effect && effect <= printed.hi));
    sums.believed += Number(believed.lo <= effect && effect <= believed.hi);
  }
  return { ...sums, tests: TESTS, weight: mixed.priorWeight, users: 1 };
}

function productTerms(terms: readonly Term[]): readonly Term[] {
  return terms.map(([id, value]): Term => [productName(id), value]);
}

function productName(id: string): string {
  const level = groupOf(id);
  const shared = SHARED[level];
  return shared === undefined || shared === level ? id : `${shared}=${id.slice(level.length + 1)}`;
}

function shippedNodes(seed: number, off: number, truth: ReadonlyMap<string, number>): readonly ShippedNode[] {
  const numbers = inOrder(keyedStream(seed, "shipped prior"));
  return Object.entries(LEVELS)
    .filter(([level]) => SHARED[level] !== undefined)
    .flatMap(([level, [count, sd]]) =>
      Array.from({ length: count }, (_, i) => {
        const id = `${level}:${i}`;
        const mean = (truth.get(id) ?? 0) + off * sd * numbers.normal();
        return { id: productName(id), mean, sd: 0, runs: 0 };
      }),
    );
}
