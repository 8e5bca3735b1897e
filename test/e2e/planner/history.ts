import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OcpDocument } from "../../../src/formats/ocp/index.ts";
import { aRun } from "../../../src/testing/run-documents.ts";
import type { Lab } from "../../lab.ts";

const DAY_MS = 24 * 3_600_000;

/** Thirty runs of the last month: a cheap model that mostly fails, and one that costs little more and mostly passes. */
export function clearWinner(repo: string): readonly OcpDocument[] {
  return Array.from({ length: 30 }, (_, n) => {
    const run = n < 16 ? aRun(n, "gpt-6-luna", n % 4 === 0, 0.8) : aRun(n, "claude-opus-5-5", n !== 20, 1);
    return datedRun(run, n, repo);
  });
}

function datedRun(document: OcpDocument, n: number, repo: string): OcpDocument {
  const at = new Date(Date.now() - (31 - n) * DAY_MS).toISOString();
  const { run } = document;
  const task = { id: `tsk_${n}`, type: "bug_fix", repo };
  const signals = (run.signals ?? []).map((signal) => ({ ...signal, observed_at: at }));
  return { ...document, run: { ...run, started_at: at, ended_at: at, task, signals } };
}

/** Brings runs into the lab's store. */
export async function importRuns(lab: Lab, documents: readonly OcpDocument[]): Promise<void> {
  const files = documents.map((document, n) => {
    const path = join(lab.outside, `run-${n}.ocp.json`);
    writeFileSync(path, JSON.stringify(document));
    return path;
  });
  const done = await lab.run(["run", "import", ...files, "--json"]);
  if (done.exit !== 0) throw new Error(`${done.stdout}\n${done.stderr}`);
}
