import type { LogCache, LogFile } from "../ports/log-source.ts";
import { membersOf, type ReadingLine, readingLine, stampOf } from "./group-reading.ts";
import { READING_FORMAT } from "./reading-format.ts";

export interface LogIndex {
  /** The reading of exactly these versions of these files. */
  find(id: string, files: readonly LogFile[]): ReadingLine | undefined;
  /** Ids of the readings of single groups and of merged ones. */
  readonly single: readonly string[];
  readonly merged: readonly string[];
}

/** The readings that an earlier scan kept: a line that names the format, then one line a group. */
export function openIndex(bytes: Uint8Array | undefined): LogIndex {
  const readings = new Map<string, ReadingLine>();
  const [format, ...lines] = bytes === undefined ? [] : Buffer.from(bytes).toString("utf8").split("\n");
  if (format === READING_FORMAT) {
    for (const line of lines) {
      const reading = readingLine(line);
      if (reading !== undefined) readings.set(reading.head.id, reading);
    }
  }
  return {
    single: [...readings.keys()].filter((id) => membersOf(id).length === 1),
    merged: [...readings.keys()].filter((id) => membersOf(id).length > 1),
    find: (id, files) => {
      const reading = readings.get(id);
      return reading !== undefined && reading.head.stamp === stampOf(files) ? reading : undefined;
    },
  };
}

/** The index that this scan leaves behind. */
export interface IndexWriting {
  add(reading: ReadingLine): void;
  finish(): void;
  drop(): void;
}

/** @param young groups that may still change unseen: they, and what could not be read, are read again next time */
export function writeIndex(cache: LogCache | undefined, young: ReadonlySet<string>): IndexWriting {
  const index = cache?.newIndex();
  const long = new Set<string>();
  index?.add(READING_FORMAT);
  return {
    add: ({ head, line }) => {
      for (const key of head.long) long.add(key);
      const isSafe = head.problems.length === 0 && !membersOf(head.id).some((id) => young.has(id));
      if (isSafe) index?.add(line);
    },
    finish: () => index?.finish([...long]),
    drop: () => index?.drop(),
  };
}
