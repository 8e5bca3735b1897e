import type { ReadProblem } from "./call.ts";
import type { LogEnvironment } from "./environment.ts";
import { fields, parseFields } from "./fields.ts";
import { areYoung, type ListedLogs, listLogs, sizeOf } from "./list-groups.ts";
import { packRows, unpackRows, Words } from "./pack.ts";
import { READING_FORMAT } from "./reading-format.ts";
import { Stamp } from "./stamp.ts";
import type { ScanPorts } from "./summary-scan.ts";
import type { LogTotals } from "./totals.ts";

export interface TotalsScan extends LogTotals {
  readonly problems: readonly ReadProblem[];
  readonly files: number;
  readonly bytes: number;
  readonly filesRead: number;
}

/**
 * What all logs come to. Where the cache holds the totals of exactly these versions of these files, neither the index nor
 * a reader is needed, and neither is loaded.
 */
export async function scanTotals(ports: ScanPorts, env: LogEnvironment, nowMs: number): Promise<TotalsScan> {
  const stored = ports.cache?.totals();
  // A first scan reads much, most likely.
  if (stored === undefined && ports.cache?.isEmpty() !== false) ports.readers.prepare();
  const listed = await listLogs(ports.source, env);
  const stamp = stampOf(listed);
  const known = readTotals(stored, stamp);
  if (known !== undefined) return { ...known, problems: listed.problems, ...sizeOf(listed), filesRead: 0 };
  const [{ scanReadings }, { packedSummaryOf }, { TotalSums }] = await Promise.all([
    import("./summary-scan.ts"),
    import("./group-reading.ts"),
    import("./totals.ts"),
  ]);
  const { readings, ...rest } = await scanReadings(ports, nowMs, listed);
  const sums = new TotalSums();
  // One at a time: together they would fill the memory.
  for (const reading of readings) sums.add(packedSummaryOf(reading));
  const totals = sums.totals();
  // What may still change unseen, or could not be read, is asked for again next time.
  const isSafe =
    rest.problems.length === listed.problems.length &&
    listed.agents.every(({ files }) => !areYoung(files, nowMs));
  if (isSafe) ports.cache?.saveTotals(packTotals(stamp, totals));
  return { ...totals, ...rest };
}

/** Tells these versions of all these files from any others. */
function stampOf({ agents }: ListedLogs): string {
  const stamp = new Stamp();
  stamp.text(READING_FORMAT);
  for (const { agent, files } of agents) {
    stamp.text(agent);
    stamp.files(files);
  }
  return stamp.value();
}

interface PackedTotals {
  readonly stamp: string;
  readonly words: readonly string[];
  readonly agents: readonly (Omit<LogTotals["agents"][number], "rows"> & {
    readonly rows: readonly number[];
  })[];
  readonly damaged: LogTotals["damaged"];
}

function packTotals(stamp: string, { agents, damaged }: LogTotals): string {
  const words = new Words();
  const packed = agents.map((own) => ({ ...own, rows: packRows(own.rows, words) }));
  return JSON.stringify({ stamp, words: words.all, agents: packed, damaged } satisfies PackedTotals);
}

/** The totals of what has this stamp. Our own file, written whole under another name first. */
function readTotals(text: string | undefined, stamp: string): LogTotals | undefined {
  const stored = text === undefined ? undefined : fields(parseFields(text));
  if (stored === undefined || !isStamped(stored, stamp)) return undefined;
  return {
    agents: stored.agents.map((own) => ({ ...own, rows: unpackRows(own.rows, stored.words) })),
    damaged: stored.damaged,
  };
}

function isStamped(value: object, stamp: string): value is PackedTotals {
  return "stamp" in value && value.stamp === stamp;
}
