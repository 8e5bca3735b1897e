/** E118, E162, E163, E166, E167: who wrote and read an artifact. */
import type { Report } from "../finding.ts";
import { asList, dig, type Entity, has, textAt } from "../members.ts";
import type { DocumentIndex } from "./document-index.ts";

export function checkArtifacts(index: DocumentIndex, report: Report): void {
  for (const artifact of index.artifacts) {
    const writers = listOf(artifact, "writers", report);
    const consumers = listOf(artifact, "consumers", report);
    checkNames(artifact, "writers", writers, index, report);
    checkNames(artifact, "consumers", consumers, index, report);
    checkProducer(artifact, writers, index, report);
    checkCount(artifact, "n_writes", writers, report);
    checkCount(artifact, "n_reads", consumers, report);
    if (writers?.length === 0) report("E166", [...artifact.path, "writers"], "an artifact has a writer");
  }
}

/** E167. */
function listOf(artifact: Entity, name: string, report: Report): readonly unknown[] | undefined {
  const list = asList(dig(artifact.value, name));
  if (list === undefined && has(artifact.value, name)) {
    report("E167", [...artifact.path, name], `'${name}' must be a list`);
  }
  return list;
}

/** E118 and the repeats of E166. */
function checkNames(
  artifact: Entity,
  name: string,
  list: readonly unknown[] | undefined,
  index: DocumentIndex,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [at, attempt] of (list ?? []).entries()) {
    if (typeof attempt !== "string") continue;
    const path = [...artifact.path, name, at];
    if (!index.attemptsById.has(attempt)) report("E118", path, `no attempt '${attempt}'`);
    if (seen.has(attempt)) report("E166", path, `'${attempt}' is named twice`);
    seen.add(attempt);
  }
}

/** E118 of the producer, E162. */
function checkProducer(
  artifact: Entity,
  writers: readonly unknown[] | undefined,
  index: DocumentIndex,
  report: Report,
): void {
  const producer = textAt(artifact.value, "producer");
  if (producer === undefined) return;
  const path = [...artifact.path, "producer"];
  if (!index.attemptsById.has(producer)) report("E118", path, `no attempt '${producer}'`);
  if (writers !== undefined && writers.length > 0 && writers[0] !== producer) {
    report("E162", path, "the producer is the first writer");
  }
}

/** E163: a known count is at least the number of names. */
function checkCount(
  artifact: Entity,
  name: string,
  list: readonly unknown[] | undefined,
  report: Report,
): void {
  const count = dig(artifact.value, name);
  if (typeof count !== "number" || list === undefined || count >= list.length) return;
  report("E163", [...artifact.path, name], `${count} is less than the ${list.length} attempts named`);
}
