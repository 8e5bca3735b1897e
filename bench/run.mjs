// Every benchmark in turn, or those named: npm run bench -- main-job

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const known = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".mjs") && !["run.mjs", "lib.mjs"].includes(name))
  .map((name) => name.slice(0, -4));
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`no benchmark is called ${unknown}; known: ${known.join(", ")}`);
  process.exit(1);
}
for (const name of asked.length === 0 ? known : asked) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.mjs`)], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
