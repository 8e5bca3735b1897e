// Shares the simulated users of all studies out to one process per core.
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/** Users a process takes at a time. */
const LOT = 5;

/** Yields each study with its rows, in their order, as soon as all its users are done. */
export async function* measure(studies, isQuick) {
  const tables = studies.map((study) => {
    const rows = study.cells(isQuick).map((cell) => ({ cell, users: new Array(cell.users) }));
    return { study, rows, ...waiting(rows.reduce((sum, { users }) => sum + users.length, 0)) };
  });
  const lots = tables.flatMap((table) => table.rows.flatMap((row) => lotsOf(table, row)));
  const workers = Array.from({ length: availableParallelism() }, () => employ(lots));
  try {
    for (const { study, rows, done } of tables) {
      await Promise.race([done, Promise.all(workers.map(({ ended }) => ended)).then(() => done)]);
      yield { study, rows };
    }
  } finally {
    for (const { worker } of workers) worker.kill();
  }
}

function lotsOf(table, { cell, users }) {
  const seeds = [...users.keys()];
  return Array.from({ length: Math.ceil(seeds.length / LOT) }, (_, i) => ({
    study: table.study.name,
    cell,
    seeds: seeds.slice(i * LOT, (i + 1) * LOT),
    take(measured) {
      measured.forEach((user, k) => {
        users[i * LOT + k] = user;
      });
      table.count(measured.length);
    },
  }));
}

/** A promise that is kept once so many users were counted. */
function waiting(users) {
  let left = users;
  let keep;
  const done = new Promise((resolve) => {
    keep = resolve;
  });
  if (left === 0) keep();
  return {
    done,
    count(more) {
      left -= more;
      if (left === 0) keep();
    },
  };
}

function employ(lots) {
  const worker = fork(join(import.meta.dirname, "worker.mjs"), { serialization: "advanced" });
  let lot;
  const ended = new Promise((resolve, reject) => {
    worker.on("message", (measured) => {
      lot?.take(measured);
      lot = lots.shift();
      if (lot === undefined) worker.disconnect();
      else worker.send({ study: lot.study, cell: lot.cell, seeds: lot.seeds });
    });
    worker.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a process of the study ended with ${code}`));
    });
  });
  return { worker, ended };
}
