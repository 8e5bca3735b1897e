import { createProcessRunner } from "../../src/adapters/process/index.ts";
import type { ProcessRequest } from "../../src/ports/process.ts";
import { systemClock } from "../../src/testing/process-lab.ts";

/**
 * A program of ours that starts one process, says who it is, and waits to be killed; without a request it reaps
 * what carries its own nonce and says how many that were. Usage: HOST [REQUEST_JSON]
 */
const [host = "", text] = process.argv.slice(2);
const runner = createProcessRunner({ clock: systemClock, host, toolPath: process.env["PATH"] ?? "" });

async function startAndWait(request: ProcessRequest): Promise<void> {
  const started = await runner.start(request);
  process.stdout.write(`${JSON.stringify(started.ok ? started.value.identity : started.problem)}\n`);
  if (started.ok) await started.value.outcome;
}

if (text !== undefined) {
  await startAndWait(JSON.parse(text));
} else {
  const nonce = process.env["LOOPWRIGHT_NONCE"] ?? "";
  process.stdout.write(`${await runner.reap({ nonce, graceMs: 0 })}\n`);
}
