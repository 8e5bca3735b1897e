// The calibration study: does the learner hold what it says? `npm run bench:calibration`, or with names of studies and
// `--quick` for a small one: `node bench/calibration.mjs drift prior --quick`.
// Simulated users whose true effects are known. Each table shows what was measured and, in brackets, what the design's
// prototype reached.
import { measure } from "./calibration/pool.mjs";
import { STUDIES } from "./calibration/studies.mjs";

const asked = process.argv.slice(2).filter((word) => word !== "--quick");
const isQuick = process.argv.includes("--quick");
const unknown = asked.find((name) => STUDIES.every((study) => study.name !== name));
if (unknown !== undefined) {
  console.error(`no study is called ${unknown}; known: ${STUDIES.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}
const chosen = STUDIES.filter(({ name }) => asked.length === 0 || asked.includes(name));
const missed = [];
for await (const { study, rows } of measure(chosen, isQuick)) {
  console.log(`\n== ${study.name}: ${study.title}`);
  for (const { what, isMet } of study.print(rows)) {
    // A small study is too noisy to judge by.
    const verdict = isQuick ? "not judged" : isMet ? "pass" : "MISSED";
    console.log(`${verdict}: ${what}`);
    if (!isMet) missed.push(`${study.name}: ${what}`);
  }
}
if (missed.length > 0 && !isQuick) {
  console.log(`\nMISSED in all: ${missed.length}`);
  process.exitCode = 1;
}
