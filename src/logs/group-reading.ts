import type { LogFile, LogGroup, LogSet, LogSource } from "../ports/log-source.ts";
import { type AgentFacts, type AgentKind, agentKind } from "./agents.ts";
import type { ReadProblem } from "./call.ts";
import { packKeys } from "./group-keys.ts";
import { parseJson } from "./lines.ts";
import { type PackedSummary, packSummary, unpackSummary } from "./pack.ts";
import { type Checkpoints, checkpointKey, isLongFile } from "./read-file.ts";
import { Stamp } from "./stamp.ts";
import type { AgentSummary } from "./summary.ts";

/** What was read of one group, or of several that were merged, without what their sessions say. */
export interface ReadingHead {
  /** `<agent>/<group>`; of groups that were merged, all of them. */
  readonly id: string;
  /** Tells these versions of these files from any others. */
  readonly stamp: string;
  /** What would tie the group to others: hashes of the keys, base64 of 64-bit floats. */
  readonly keys: string;
  readonly problems: readonly ReadProblem[];
  /** Long files whose checkpoints are still of use. */
  readonly long: readonly string[];
}

export interface GroupReading {
  readonly head: ReadingHead;
  readonly summary: PackedSummary;
}

/** A line of the index: its head, and the summary, which few of its readers need and nobody needs all at once. */
export interface ReadingLine {
  readonly head: ReadingHead;
  readonly line: string;
}

export function lineOf({ head, summary }: GroupReading): string {
  const { id, stamp, keys, problems, long } = head;
  const odd = problems.length === 0 ? "" : JSON.stringify(problems);
  return `${JSON.stringify(id)}\t${stamp}\t${keys}\t${odd}\t${long.join(" ")}\t${JSON.stringify(summary)}`;
}

const PARTS_OF_LINE = 6;

/** Undefined for what is no such line. It is our own, written whole: a full check of it would cost more than the scan. */
export function readingLine(line: string): ReadingLine | undefined {
  const parts = line.split("\t");
  const id = parts.length === PARTS_OF_LINE ? parseJson(parts[0] ?? "") : undefined;
  if (typeof id !== "string") return undefined;
  const problems = parts[3] ?? "";
  const long = parts[4] ?? "";
  const head: ReadingHead = {
    id,
    stamp: parts[1] ?? "",
    keys: parts[2] ?? "",
    problems: problems === "" ? NONE : JSON.parse(problems),
    long: long === "" ? NONE : long.split(" "),
  };
  return { head, line };
}

const NONE: readonly never[] = [];

export function summaryOf(reading: ReadingLine): AgentSummary {
  return unpackSummary(packedSummaryOf(reading));
}

export function packedSummaryOf({ line }: ReadingLine): PackedSummary {
  return JSON.parse(line.slice(line.lastIndexOf("\t") + 1));
}

export function groupId(group: Pick<LogGroup, "agent" | "id">): string {
  return `${group.agent}/${group.id}`;
}

/** No file name holds this. */
const SEPARATOR = "\0";

export function mergedId(groups: readonly Pick<LogGroup, "agent" | "id">[]): string {
  return groups.map(groupId).join(SEPARATOR);
}

/** The groups behind a reading's id: one, or those that were merged. */
export function membersOf(id: string): readonly string[] {
  return id.split(SEPARATOR);
}

export function stampOf(files: readonly LogFile[]): string {
  const stamp = new Stamp();
  stamp.files(files);
  return stamp.value();
}

/** Reads one group, or several that must be merged; at once, where that can be. */
export function readGroups(
  source: LogSource,
  groups: LogSet,
  cache?: Checkpoints,
): GroupReading | Promise<GroupReading> {
  const first = groups[0];
  const kind = agentKind(first?.agent ?? "");
  const files =
    first !== undefined && groups.length === 1 ? first.files : groups.flatMap((group) => group.files);
  const facts = kind.pour?.(source, files, cache);
  if (facts === undefined) return readWaiting(kind, source, groups, files, cache);
  return { head: headOf(groups, files, facts, NONE, NONE), summary: summaryIn(kind, facts) };
}

async function readWaiting(
  kind: AgentKind,
  source: LogSource,
  groups: LogSet,
  files: readonly LogFile[],
  cache: Checkpoints | undefined,
): Promise<GroupReading> {
  const problems: ReadProblem[] = [];
  const facts = await kind.read(
    files.map((file) => ({ source, file, problems, ...(cache === undefined ? {} : { cache }) })),
  );
  const long = cache === undefined ? [] : files.filter((file) => isLongFile(file, cache));
  const checkpoints = long.map((file) => checkpointKey(file.path));
  return { head: headOf(groups, files, facts, problems, checkpoints), summary: summaryIn(kind, facts) };
}

function headOf(
  groups: LogSet,
  files: readonly LogFile[],
  facts: AgentFacts,
  problems: readonly ReadProblem[],
  long: readonly string[],
): ReadingHead {
  const keys = groups.length > 1 ? "" : packKeys(facts.keys);
  return { id: mergedId(groups), stamp: stampOf(files), keys, problems, long };
}

function summaryIn(kind: AgentKind, facts: AgentFacts): PackedSummary {
  return packSummary(kind.agent, facts.merge());
}
