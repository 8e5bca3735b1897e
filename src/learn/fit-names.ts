import { type Digest, sha256, sha256Of } from "../core/hash.ts";
import type { RunFacts } from "./rows/facts.ts";

/** A run does not change, and its text is long: a process that fits again and again names it once. */
const digests = new WeakMap<RunFacts, Digest>();

function digestOf(run: RunFacts): Digest {
  const known = digests.get(run);
  if (known !== undefined) return known;
  const digest = sha256(textOf(run));
  digests.set(run, digest);
  return digest;
}

function textOf(run: RunFacts): string {
  // A map has no text in JSON, so its entries stand behind.
  return JSON.stringify(run) + JSON.stringify([...run.task.features]);
}

/** A name for the first `base` runs and for each more of them, with what they meet; and how many runs it names. */
export function fitNames(met: string, runs: readonly RunFacts[], base: number): ReadonlyMap<string, number> {
  let name = sha256Of(textsOf(met, runs, base));
  const names = new Map<string, number>([[name, base]]);
  for (let count = base + 1; count <= runs.length; count += 1) {
    const run = runs[count - 1];
    if (run === undefined) break;
    name = sha256(name + digestOf(run));
    names.set(name, count);
  }
  return names;
}

function* textsOf(met: string, runs: readonly RunFacts[], count: number): Iterable<string> {
  yield met;
  for (let i = 0; i < count; i += 1) {
    const run = runs[i];
    if (run !== undefined) yield digestOf(run);
  }
}
