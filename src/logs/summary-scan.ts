import type { LogCache, LogGroup, LogReaders, LogSource } from "../ports/log-source.ts";
import type { ReadProblem } from "./call.ts";
import { componentsOf } from "./components.ts";
import type { LogEnvironment } from "./environment.ts";
import { type GroupReading, groupId, membersOf, mergedId, readGroups, stampOf } from "./group-reading.ts";
import type { DamageList } from "./lines.ts";
import { areYoung, groupsOf, type ListedLogs, listLogs, sizeOf } from "./list-groups.ts";
import { openIndex } from "./log-index.ts";
import { unpackSummary } from "./pack.ts";
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

/**
 * Every agent's sessions, of the logs that were listed just now or that are there. With a cache only what is new is read; the result is the same as without. Sessions that
 * share calls are merged together, all others stay as their own files tell them.
 */
export async function scanSummary(
  ports: ScanPorts,
  env: LogEnvironment,
  nowMs: number,
  listed?: ListedLogs,
): Promise<SummaryScan> {
  const logs = listed ?? (await listLogs(ports.source, env));
  const groups = groupsOf(logs);
  const index = openIndex(ports.cache?.index());
  const known = new Map<string, GroupReading>();
  const wanted: LogGroup[] = [];
  for (const group of groups) {
    const reading = index.find(groupId(group), stampOf(group.files));
    if (reading === undefined) wanted.push(group);
    else known.set(reading.id, reading);
  }
  for await (const line of ports.readers.read(wanted)) {
    const reading: GroupReading = JSON.parse(line);
    known.set(reading.id, reading);
  }
  const final: GroupReading[] = [];
  const isUnchanged = wanted.length === 0 && index.single.length === known.size;
  // What belongs together is then what belonged together before.
  const components = isUnchanged ? partsOf(groups, index.merged) : componentsOf(groups, known);
  for (const component of components) {
    final.push(await mergedReading(component, known, index, ports));
  }
  if (ports.cache !== undefined && !isUnchanged) {
    const young = new Set(groups.filter(({ files }) => areYoung(files, nowMs)).map(groupId));
    index.save(ports.cache, [...known.values(), ...final.filter((entry) => !known.has(entry.id))], young);
  }
  return {
    ...collect(final.map((entry) => unpackSummary(entry.summary))),
    problems: [...logs.problems, ...final.flatMap((entry) => entry.problems)],
    ...sizeOf(logs),
    filesRead: wanted.reduce((sum, group) => sum + group.files.length, 0),
  };
}

/** The groups by the merges that an index names; all others stand alone. */
function partsOf(groups: readonly LogGroup[], merged: readonly string[]): readonly (readonly LogGroup[])[] {
  const byId = new Map(groups.map((group) => [groupId(group), group]));
  const together = merged.map((id) => membersOf(id).flatMap((member) => byId.get(member) ?? []));
  const taken = new Set(together.flat());
  return [...together, ...groups.filter((group) => !taken.has(group)).map((group) => [group])];
}

/** The reading of groups that belong together: of one its own, of several a common one. */
async function mergedReading(
  component: readonly LogGroup[],
  known: ReadonlyMap<string, GroupReading>,
  index: ReturnType<typeof openIndex>,
  ports: ScanPorts,
): Promise<GroupReading> {
  const [only] = component;
  const own = only === undefined ? undefined : known.get(groupId(only));
  if (component.length === 1 && own !== undefined) return own;
  const files = component.flatMap((group) => group.files);
  const stored = index.find(mergedId(component), stampOf(files));
  return stored ?? (await readGroups(ports.source, component, ports.cache));
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
      lines: summaries
        .flatMap((summary) => summary.damaged.lines)
        .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line)),
      more: summaries.reduce((sum, summary) => sum + summary.damaged.more, 0),
    },
  };
}
