import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Decompress } from "fzstd";
import type { LogChunks, LogSink } from "../../ports/log-source.ts";
import { codeOf } from "./walk.ts";

/** What a core keeps close to it: a larger block costs the reader several times as long. */
const CHUNK_BYTES = 128 * 1024;
/** As many as were ever read at a time; each belongs to one reading while it lasts. */
const idleBuffers: Buffer[] = [];

/** Where a reading ends: at a byte, and at the size that the file was listed with. */
interface ReadingEnd {
  readonly toByte?: number | undefined;
  readonly sizeBytes?: number | undefined;
}

/** The file's bytes, decompressed for `.zst`. Throws an Error that names the reason. */
export function readLog(path: string, fromByte: number, end: ReadingEnd = {}): LogChunks {
  return path.endsWith(".zst")
    ? within(decompressed(path), fromByte, end.toByte ?? Number.POSITIVE_INFINITY)
    : plain(path, fromByte, end);
}

/** Synchronous: a chunk from the page cache takes less time than a hand-over to the thread pool. */
function* plain(
  path: string,
  fromByte: number,
  { toByte = Number.POSITIVE_INFINITY, sizeBytes }: ReadingEnd,
): Generator<Uint8Array> {
  const buffer = idleBuffers.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const size = Math.min(sizeBytes ?? fstatSync(file).size, toByte);
    let position = fromByte;
    // What is appended while we read belongs to the next reading.
    while (position < size) {
      const bytesRead = readSync(file, buffer, 0, Math.min(buffer.length, size - position), position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw reasonOf(error);
  } finally {
    if (file !== undefined) closeSync(file);
    idleBuffers.push(buffer);
  }
}

/** Without an iterator's turn for each block. A compressed file must be read. */
export function pourLog(
  path: string,
  fromByte: number,
  sizeBytes: number | undefined,
  into: LogSink,
): boolean {
  if (path.endsWith(".zst")) return false;
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const size = sizeBytes ?? fstatSync(file).size;
    for (let position = fromByte; position < size; ) {
      const room = Math.min(into.room(), size - position);
      const count = readSync(file, into.bytes, into.at, room, position);
      if (count === 0) break;
      position += count;
      into.took(count);
    }
  } catch (error) {
    throw reasonOf(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return true;
}

function reasonOf(error: unknown): Error {
  return new Error(codeOf(error), { cause: error });
}

/** Node has zstd from 22.15 on; a decoder in plain JavaScript serves before that. */
async function* decompressed(path: string): AsyncGenerator<Uint8Array> {
  const create: unknown = Reflect.get(process.getBuiltinModule("node:zlib"), "createZstdDecompress");
  if (typeof create !== "function") {
    yield* decompressedHere(path);
    return;
  }
  const { pipeline, Readable, Transform } = process.getBuiltinModule("node:stream");
  const stream: unknown = create();
  if (!(stream instanceof Transform)) throw new Error("zstd stream expected");
  // Errors of either side come out of the iteration below; ending it early closes the file.
  pipeline(Readable.from(copies(plain(path, 0, {}))), stream, () => {});
  for await (const chunk of stream) {
    if (chunk instanceof Uint8Array) yield chunk;
  }
}

/** For consumers that hold more than one chunk at a time. */
function* copies(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const chunk of chunks) yield Uint8Array.from(chunk);
}

/** Exported for its test: what runs on a Node without zstd. */
export async function* decompressedHere(path: string): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const decoder = new Decompress((chunk) => ready.push(chunk));
  for (const chunk of plain(path, 0, {})) {
    decoder.push(Uint8Array.from(chunk), false);
    yield* ready.splice(0);
  }
  decoder.push(new Uint8Array(0), true);
  yield* ready.splice(0);
}

async function* within(
  chunks: AsyncIterable<Uint8Array>,
  fromByte: number,
  toByte: number,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  try {
    for await (const chunk of chunks) {
      const part = chunk.subarray(Math.max(0, fromByte - position), Math.max(0, toByte - position));
      position += chunk.byteLength;
      if (part.byteLength > 0) yield part;
      if (position >= toByte) return;
    }
  } catch (error) {
    throw reasonOf(error);
  }
}
