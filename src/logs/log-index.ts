import type { LogCache } from "../ports/log-source.ts";
import { type GroupReading, membersOf } from "./group-reading.ts";
import { parseJson } from "./lines.ts";
import { READING_FORMAT } from "./reading-format.ts";

export interface LogIndex {
  /** The reading of exactly these versions of these files. */
  find(id: string, stamp: number): GroupReading | undefined;
  /** Ids of the readings of single groups and of merged ones. */
  readonly single: readonly string[];
  readonly merged: readonly string[];
  save(cache: LogCache, readings: readonly GroupReading[], young: ReadonlySet<string>): void;
}

/** The readings that an earlier scan kept: a line that names the format, then one line a group. */
export function openIndex(bytes: Uint8Array | undefined): LogIndex {
  const readings = new Map<string, GroupReading>();
  const [format, ...lines] = bytes === undefined ? [] : Buffer.from(bytes).toString("utf8").split("\n");
  if (format === READING_FORMAT) {
    for (const line of lines) {
      const reading = parseJson(line);
      if (isReading(reading)) readings.set(reading.id, reading);
    }
  }
  return {
    single: [...readings.keys()].filter((id) => membersOf(id).length === 1),
    merged: [...readings.keys()].filter((id) => membersOf(id).length > 1),
    find: (id, stamp) => {
      const reading = readings.get(id);
      return reading?.stamp === stamp ? reading : undefined;
    },
    save: (cache, kept, young) => {
      // What may still change unseen, or could not be read, is read again next time.
      const safe = kept.filter(
        (entry) => entry.problems.length === 0 && !membersOf(entry.id).some((id) => young.has(id)),
      );
      cache.saveIndex(linesOf(safe), [...new Set(kept.flatMap((entry) => entry.long))]);
    },
  };
}

function* linesOf(readings: readonly GroupReading[]): Generator<string> {
  yield READING_FORMAT;
  for (const reading of readings) yield JSON.stringify(reading);
}

/** Our own file, written whole under another name first: a full check of every member would cost more than the scan. */
function isReading(value: unknown): value is GroupReading {
  return typeof value === "object" && value !== null && "id" in value && "stamp" in value;
}
