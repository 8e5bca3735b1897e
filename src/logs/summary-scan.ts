import type { LogCache, LogFile, LogGroup, LogReaders, LogSet, LogSource } from "../ports/log-source.ts";
import type { ReadProblem } from "./call.ts";
import { componentsOf } from "./components.ts";
import type { LogEnvironment } from "./environment.ts";
import { groupId, membersOf, mergedId, type ReadingLine, readingLine, summaryOf } from "./group-reading.ts";
import { byPlace, type DamageList } from "./lines.ts";
import { areYoung, groupsOf, type ListedLogs, listLogs, sizeOf } from "./list-groups.ts";
import { type LogIndex, openIndex, writeIndex } from "./log-index.ts";
import type { AgentSummary, SessionSummary } from "./summary.ts";

export interface ScanPorts {
  readonly source: LogSource;
  readonly readers: LogReaders;
  readonly cache?: LogCache;
}

export interface SummaryScan {
  /** By agent, then first time, then id. */
  readonly sessions: readonly SessionSummary[];
  readonly damaged: Readonly<DamageList>;
  readonly problems: readonly ReadProblem[];
  readonly files: number;
  readonly bytes: number;
  /** Files that had to be opened because the cache did not know this version of them. */
  readonly filesRead: number;
}

/** Every agent's sessions. With a cache only what is new is read; the result is the same as without. */
export async function scanSummary(
  ports: ScanPorts,
  env: LogEnvironment,
  nowMs: number,
): Promise<SummaryScan> {
  const { readings, ...rest } = await scanReadings(ports, nowMs, await listLogs(ports.source, env));
  return { ...collect(readings.map(summaryOf)), ...rest };
}

export interface ReadingScan extends Omit<SummaryScan, "sessions" | "damaged"> {
  /** One for each group, or for groups that were merged. */
  readonly readings: readonly ReadingLine[];
}

/**
 * The readings of the logs that were listed. Sessions that share calls are merged together, all others stay as their own
 * files tell them.
 */
export async function scanReadings(ports: ScanPorts, nowMs: number, logs: ListedLogs): Promise<ReadingScan> {
  const groups = groupsOf(logs);
  const index = openIndex(ports.cache?.index());
  const kept: ReadingLine[] = [];
  const wanted: LogSet[] = [];
  for (const group of groups) {
    const reading = index.find(groupId(group), group.files);
    if (reading === undefined) wanted.push([group]);
    else kept.push(reading);
  }
  const isUnchanged = wanted.length === 0 && index.single.length === kept.length;
  const young = new Set(groups.filter(({ files }) => areYoung(files, nowMs)).map(groupId));
  const written = writeIndex(isUnchanged ? undefined : ports.cache, young);
  const known = new Map<string, ReadingLine>();
  const keep = (reading: ReadingLine): void => {
    known.set(reading.head.id, reading);
    written.add(reading);
  };
  let components: readonly LogSet[];
  try {
    for (const reading of kept) keep(reading);
    await readEach(ports.readers, wanted, keep);
    // Where nothing is new, what belongs together is what belonged together before.
    components = isUnchanged ? partsOf(groups, index.merged) : componentsOf(groups, known);
    await readEach(ports.readers, unmerged(components, index, keep), keep);
    written.finish();
  } catch (error) {
    written.drop();
    throw error;
  } finally {
    ports.readers.close();
  }
  const readings = components.flatMap((component) => known.get(mergedId(component)) ?? []);
  return {
    readings,
    problems: [...logs.problems, ...readings.flatMap(({ head }) => head.problems)],
    ...sizeOf(logs),
    filesRead: wanted.flat().reduce((sum, { files }) => sum + files.length, 0),
  };
}

async function readEach(
  readers: LogReaders,
  sets: readonly LogSet[],
  keep: (reading: ReadingLine) => void,
): Promise<void> {
  for await (const lines of readers.read(sets)) {
    for (const line of lines) {
      const reading = readingLine(line);
      if (reading !== undefined) keep(reading);
    }
  }
}

/** The groups that share calls and are not known to have been merged as they are now. */
function unmerged(
  components: readonly LogSet[],
  index: LogIndex,
  keep: (reading: ReadingLine) => void,
): readonly LogSet[] {
  return components.filter((component) => {
    if (component.length === 1) return false;
    const reading = index.find(mergedId(component), filesOf(component));
    if (reading !== undefined) keep(reading);
    return reading === undefined;
  });
}

function filesOf(set: LogSet): LogFile[] {
  return set.flatMap((group) => group.files);
}

/** The groups by the merges that an index names; all others stand alone. */
function partsOf(groups: readonly LogGroup[], merged: readonly string[]): readonly LogSet[] {
  const byId = new Map(groups.map((group) => [groupId(group), group]));
  const together = merged.map((id) => membersOf(id).flatMap((member) => byId.get(member) ?? []));
  const taken = new Set(together.flat());
  return [...together, ...groups.filter((group) => !taken.has(group)).map((group) => [group])];
}

function collect(summaries: readonly AgentSummary[]): Pick<SummaryScan, "sessions" | "damaged"> {
  const sessions = summaries.flatMap((summary) => summary.sessions);
  const order = (session: SessionSummary): number => session.firstAtMs ?? 0;
  return {
    sessions: sessions.sort(
      (a, b) =>
        (a.agent < b.agent ? -1 : a.agent > b.agent ? 1 : 0) || order(a) - order(b) || (a.id < b.id ? -1 : 1),
    ),
    damaged: {
      lines: summaries.flatMap((summary) => summary.damaged.lines).sort(byPlace),
      more: summaries.reduce((sum, summary) => sum + summary.damaged.more, 0),
    },
  };
}
