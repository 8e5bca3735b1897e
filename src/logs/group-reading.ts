import { sha256 } from "../core/hash.ts";
import type { LogFile, LogGroup, LogSource } from "../ports/log-source.ts";
import { agentKind } from "./agents.ts";
import type { ReadProblem } from "./call.ts";
import { type PackedSummary, packSummary } from "./pack.ts";
import { type Checkpoints, checkpointKey, isLongFile } from "./read-file.ts";
import { summarise } from "./summary.ts";

/** What one group's files say by themselves, and what would tie them to other groups. One line of the index. */
export interface GroupReading {
  /** `<agent>/<group>`; of groups that were merged, all of them. */
  readonly id: string;
  /** Tells these versions of these files from any others. */
  readonly stamp: string;
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

export function stampOf(files: readonly LogFile[]): string {
  const parts = files.map(({ path, sizeBytes, mtimeNs, device, inode }) =>
    [path, sizeBytes, mtimeNs, device, inode].join("\t"),
  );
  return sha256(parts.join("\n")).slice(0, 32);
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
    keys: groups.length > 1 ? "" : packKeys(facts.keys()),
    summary: packSummary(summarise(kind.agent, facts.merge())),
    problems,
    long:
      cache === undefined
        ? []
        : files.filter((file) => isLongFile(file, cache)).map((file) => checkpointKey(file.path)),
  };
}

function packKeys(keys: readonly string[]): string {
  const hashes = Float64Array.from(keys, hashOf);
  return Buffer.from(hashes.buffer).toString("base64");
}

export function unpackKeys(text: string): Float64Array {
  const bytes = Buffer.from(text, "base64");
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** 53 bits (cyrb53): where two keys collide, groups are merged that need not be, and nothing else. */
function hashOf(key: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
