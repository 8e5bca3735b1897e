import type { LogFile, LogGroup, LogSource } from "../ports/log-source.ts";
import { agentKind } from "./agents.ts";
import type { ReadProblem } from "./call.ts";
import { packKeys } from "./group-keys.ts";
import { type PackedSummary, packSummary } from "./pack.ts";
import { type Checkpoints, checkpointKey, isLongFile } from "./read-file.ts";
import { summarise } from "./summary.ts";
import { textHash } from "./text-hash.ts";

/** What one group's files say by themselves, and what would tie them to other groups. One line of the index. */
export interface GroupReading {
  /** `<agent>/<group>`; of groups that were merged, all of them. */
  readonly id: string;
  /** Tells these versions of these files from any others. */
  readonly stamp: number;
  /** Hashes of the keys, base64 of 64-bit floats. */
  readonly keys: string;
  readonly summary: PackedSummary;
  readonly problems: readonly ReadProblem[];
  /** Long files whose checkpoints are still of use. */
  readonly long: readonly string[];
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

export function stampOf(files: readonly LogFile[]): number {
  let parts = "";
  for (const { path, sizeBytes, mtimeNs, device, inode } of files) {
    parts += `${path}\t${sizeBytes}\t${mtimeNs}\t${device}\t${inode}\n`;
  }
  return textHash(parts);
}

/** Reads one group, or several that must be merged, to the line of the index. */
export async function readGroups(
  source: LogSource,
  groups: readonly LogGroup[],
  cache?: Checkpoints,
): Promise<GroupReading> {
  const [first] = groups;
  const kind = agentKind(first?.agent ?? "");
  const problems: ReadProblem[] = [];
  const files = groups.flatMap((group) => group.files);
  const facts = await kind.read(
    files.map((file) => ({ source, file, problems, ...(cache === undefined ? {} : { cache }) })),
  );
  return {
    id: mergedId(groups),
    stamp: stampOf(files),
    keys: groups.length > 1 ? "" : packKeys(facts.keys),
    summary: packSummary(summarise(kind.agent, facts.merge())),
    problems,
    long:
      cache === undefined
        ? []
        : files.filter((file) => isLongFile(file, cache)).map((file) => checkpointKey(file.path)),
  };
}
