import { fixed, print, total } from "./table.mjs";

/** What steps may leave of the loss of a model that jumped, and cost where none did, in nats a run. */
const LIMITS = { left: 0.6, cost: 0.004 };
/**
 * The part of all runs that the model makes. Half is what the design's own table implies: its losses of all runs lie
 * half-way between those of the model and those where nothing jumps. Of a model with a fifth, 30 runs a month, no fit can
 * halve the loss: one that is told which model jumped, and when, hardly does.
 */
const SHARES = [0.5, 0.2];
const JUMPS = [0, 1, -1];
/** All runs and the model's, without and with steps. */
const DESIGN = {
  0: [0.0179, 0.0195],
  1: [0.0443, 0.0651, 0.0294, 0.0343],
  "-1": [0.042, 0.0614, 0.0286, 0.0337],
};
const KNOWS = { still: "nothing", steps: "steps", told: "jump" };

export default {
  name: "drift",
  title: "nats a run lost in the two months after one model jumped by a logit",
  cells(isQuick) {
    const options = isQuick
      ? { runsPerMonth: 60, every: 30, users: 2 }
      : { runsPerMonth: 150, every: 15, users: 60 };
    return SHARES.flatMap((share) => JUMPS.map((jump) => ({ share, jump, ...options })));
  },
  user({ driftStudy }, cell, seed) {
    const sums = {};
    for (const [name, knows] of Object.entries(KNOWS)) {
      for (const [key, value] of Object.entries(driftStudy(700 + seed, { ...cell, knows }))) {
        sums[`${name} ${key}`] = value;
      }
    }
    return sums;
  },
  print(rows) {
    const found = rows.map(({ cell, users }) => ({ cell, ...losses(total(users)), error: errorOf(users) }));
    print(
      [
        "share",
        "jump",
        "all: still",
        "steps",
        "told",
        "model: still",
        "steps",
        "told",
        "left",
        "bias: still",
        "steps",
      ],
      found.map(({ cell: { share, jump }, still, steps, told, left, error }) => {
        const known = share === SHARES[0] ? DESIGN[jump] : [];
        return [
          `${share}`,
          `${jump}`,
          fixed(still.all, 4, known[0]),
          fixed(steps.all, 4, jump === 0 ? known[1] : known[2]),
          fixed(told.all, 4),
          fixed(still.jumped, 4, jump === 0 ? undefined : known[1]),
          fixed(steps.jumped, 4, known[3]),
          fixed(told.jumped, 4),
          jump === 0 ? "" : `${left.toFixed(2)} ±${error.toFixed(2)}`,
          fixed(still.bias, 3),
          fixed(steps.bias, 3),
        ];
      }),
    );
    const judged = found.filter(({ cell }) => cell.share === SHARES[0]);
    return judged.map(({ cell: { share, jump }, still, steps, left }) =>
      jump === 0
        ? {
            what: `steps cost at most ${LIMITS.cost} nats where nothing jumps`,
            isMet: steps.all <= still.all + LIMITS.cost,
          }
        : {
            what: `steps leave at most ${LIMITS.left} of the loss of a model with ${share} of the runs that jumps by ${jump}`,
            isMet: left <= LIMITS.left,
          },
    );
  },
};

function losses(sums) {
  const of = (name) => ({
    all: sums[`${name} all`] / sums[`${name} runs`],
    jumped: sums[`${name} jumped`] / sums[`${name} jumpedRuns`],
    bias: sums[`${name} bias`] / sums[`${name} jumpedRuns`],
  });
  const [still, steps, told] = Object.keys(KNOWS).map(of);
  return { still, steps, told, left: steps.jumped / still.jumped };
}

/** The standard error of what is left, from leaving out one user at a time. */
function errorOf(users) {
  const without = users.map((_, i) => losses(total(users.filter((_, k) => k !== i))).left);
  const mean = without.reduce((sum, value) => sum + value, 0) / without.length;
  const squares = without.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt((squares * (users.length - 1)) / users.length);
}
