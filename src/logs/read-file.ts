import { sha256 } from "../core/hash.ts";
import type { LogCache, LogFile, LogSink, LogSource } from "../ports/log-source.ts";
import type { ReadProblem } from "./call.ts";
import { fields, number, parseFields, text } from "./fields.ts";
import { READING_FORMAT } from "./reading-format.ts";

const GUARD_BYTES = 4096;

export type Checkpoints = Pick<LogCache, "longFileBytes" | "checkpoint" | "saveCheckpoint">;

interface ByteReader {
  push(chunk: Uint8Array): void;
  /** Takes the same bytes without a copy. */
  readonly sink?: LogSink;
}

export interface FileParser<Facts, Checkpoint> extends ByteReader {
  finish(): Facts;
  checkpoint(): Checkpoint & { readonly at: { readonly completeBytes: number } };
}

/** What it takes to read one file with memory of earlier readings. */
export interface FileReading {
  readonly source: LogSource;
  readonly file: Pick<LogFile, "path"> & Partial<LogFile>;
  readonly problems: ReadProblem[];
  readonly cache?: Checkpoints;
}

/**
 * One file's facts. A long file goes on where the last reading stopped, when it still starts with and holds up to there what
 * it held then; anything odd is read from the start.
 */
export async function readFacts<Facts, Checkpoint>(
  reading: FileReading,
  make: (checkpoint: Checkpoint | undefined) => FileParser<Facts, Checkpoint>,
): Promise<Facts> {
  const { source, file, problems, cache } = reading;
  const isLong = cache !== undefined && isLongFile(file, cache);
  const saved = isLong ? await resumable<Checkpoint>(reading, cache) : undefined;
  const parser = make(saved?.checkpoint);
  const fromByte = saved?.offset ?? 0;
  const before = problems.length;
  await feed(source, file, fromByte, parser, problems);
  if (isLong && problems.length === before) {
    const checkpoint = parser.checkpoint();
    const offset = checkpoint.at.completeBytes;
    if (offset > fromByte) {
      const guards = await guardsOf(source, file, offset);
      const { device, inode, sizeBytes, mtimeMs } = file;
      const identity = { device, inode, sizeBytes, mtimeMs };
      cache.saveCheckpoint(
        checkpointKey(file.path),
        JSON.stringify({ format: READING_FORMAT, ...identity, offset, guards, checkpoint }),
      );
    }
  }
  return parser.finish();
}

/** One file's facts, where it can be read to its end without waiting and nothing is known of it. */
export function pourFacts<Facts>(
  source: LogSource,
  file: LogFile,
  cache: Checkpoints | undefined,
  parser: { readonly sink: LogSink; finish(): Facts },
): Facts | undefined {
  if (cache !== undefined && isLongFile(file, cache)) return undefined;
  try {
    return source.pour(file, 0, parser.sink) ? parser.finish() : undefined;
  } catch {
    // Whoever reads it then is told why.
    return undefined;
  }
}

export function isLongFile(file: Partial<LogFile>, cache: Pick<LogCache, "longFileBytes">): boolean {
  return (file.sizeBytes ?? 0) >= cache.longFileBytes && file.path?.endsWith(".zst") !== true;
}

export function checkpointKey(path: string): string {
  return sha256(path).slice(0, 32);
}

interface Resumable<Checkpoint> {
  readonly offset: number;
  readonly checkpoint: Checkpoint;
}

/** The saved state, if the file is the same one and its content around the edges has not changed. */
async function resumable<Checkpoint>(
  { source, file }: FileReading,
  cache: Pick<LogCache, "checkpoint">,
): Promise<Resumable<Checkpoint> | undefined> {
  const stored = cache.checkpoint(checkpointKey(file.path));
  const saved = stored === undefined ? undefined : parseFields(stored);
  if (saved === undefined || saved === "broken" || saved["format"] !== READING_FORMAT) return undefined;
  const offset = number(saved["offset"]);
  const isSame = saved["device"] === file.device && saved["inode"] === file.inode;
  const hasGrown = (file.sizeBytes ?? 0) > (number(saved["sizeBytes"]) ?? 0);
  // Changed without growing: no append.
  if (offset === undefined || !isSame || !(hasGrown || saved["mtimeMs"] === file.mtimeMs)) return undefined;
  if (text(saved["guards"]) !== (await guardsOf(source, file, offset))) return undefined;
  return fields(saved["checkpoint"]) === undefined
    ? undefined
    : { offset, checkpoint: saved["checkpoint"] as Checkpoint };
}

/** Hash of the first bytes and of those in front of the offset: a file replaced by a longer one looks like growth. */
async function guardsOf(source: LogSource, file: Pick<LogFile, "path">, offset: number): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    for (const [from, to] of [
      [0, Math.min(GUARD_BYTES, offset)],
      [Math.max(0, offset - GUARD_BYTES), offset],
    ] as const) {
      for await (const chunk of source.read(file, from, to)) parts.push(Uint8Array.from(chunk));
    }
  } catch {
    return "unreadable";
  }
  return sha256(Buffer.concat(parts));
}

/** What was read before a failure counts; the failure is reported. */
export async function feed(
  source: LogSource,
  file: Pick<LogFile, "path">,
  fromByte: number,
  parser: ByteReader,
  problems: ReadProblem[],
): Promise<void> {
  try {
    if (parser.sink !== undefined && source.pour(file, fromByte, parser.sink)) return;
    const chunks = source.read(file, fromByte);
    if (Symbol.iterator in chunks) for (const chunk of chunks) parser.push(chunk);
    else for await (const chunk of chunks) parser.push(chunk);
  } catch (error) {
    problems.push({ path: file.path, reason: error instanceof Error ? error.message : String(error) });
  }
}
