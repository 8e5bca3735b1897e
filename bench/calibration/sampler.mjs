import { fixed, percent, print, total } from "./table.mjs";

const GIBBS = { runs: 200, users: 25, all: 1100, dropped: 100 };
/** Nats that the mixture may lose beyond an exact sampler. */
const LIMIT = 0.003;

export default {
  name: "sampler",
  title: `exact sampling (${GIBBS.all} sweeps, half-t scales) against the mixture`,
  cells: (isQuick) => [{ ...GIBBS, users: isQuick ? 1 : GIBBS.users }],
  user(lib, { runs }, seed) {
    const data = lib.simulateRuns(40_000 + seed, { runs, parts: 20, effects: "sparseMed", tests: 40 });
    const head = lib.fitBinaryHead(lib.binaryData(data.rows), { plain: lib.STUDY_PRIOR });
    const prior = {
      mean: (id) => lib.STUDY_PRIOR.node(id).mean,
      sd: (id) => (lib.STUDY_PRIOR.node(id).isScaled ? undefined : 2),
    };
    const numbers = lib.inOrder(lib.keyedStream(seed, "exact sampler"));
    const sampled = lib.sampleEffects(data.rows, prior, GIBBS, numbers);
    const sums = { parts: 0, exact: 0, mixture: 0, exactLoss: 0, mixtureLoss: 0, tests: 0 };
    for (const part of data.parts) {
      const truth = data.truth.get(part);
      const own = sampled.effects.map((b) => b[sampled.ids.indexOf(part)] ?? 0).sort((a, b) => a - b);
      const at = (share) => own[Math.round(share * (own.length - 1))];
      const { range } = lib.beliefOf(head, [[part, 1]]);
      sums.parts += 1;
      sums.exact += Number(at(0.1) <= truth && truth <= at(0.9));
      sums.mixture += Number(range.lo <= truth && truth <= range.hi);
    }
    for (const { terms, chance } of data.test) {
      sums.tests += 1;
      sums.exactLoss += lib.natsLost(chance, lib.sampledChance(sampled, terms));
      sums.mixtureLoss += lib.natsLost(chance, lib.believedChance(head, terms));
    }
    return sums;
  },
  print([{ users }]) {
    const { parts, exact, mixture, exactLoss, mixtureLoss, tests } = total(users);
    const lost = { exact: exactLoss / tests, mixture: mixtureLoss / tests };
    print(
      ["", "80% beliefs of parts", "nats lost a run"],
      [
        ["exact", percent(exact / parts, 87), fixed(lost.exact, 4, 0.0496)],
        ["mixture", percent(mixture / parts, 88), fixed(lost.mixture, 4, 0.0481)],
      ],
    );
    return [
      {
        what: `the mixture loses at most ${LIMIT} nats more than the sampler`,
        isMet: lost.mixture <= lost.exact + LIMIT,
      },
    ];
  },
};
