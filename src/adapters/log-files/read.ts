import { open } from "node:fs/promises";
import { pipeline, Readable, Transform } from "node:stream";
import * as zlib from "node:zlib";
import { Decompress } from "fzstd";
import { codeOf } from "./walk.ts";

const CHUNK_BYTES = 1024 * 1024;

/** The file's bytes, decompressed for `.zst`. Throws an Error that names the reason. */
export async function* readLog(path: string, fromByte: number): AsyncGenerator<Uint8Array> {
  try {
    if (path.endsWith(".zst")) yield* skip(decompressed(path), fromByte);
    else yield* plain(path, fromByte);
  } catch (error) {
    throw new Error(codeOf(error), { cause: error });
  }
}

async function* plain(path: string, fromByte: number): AsyncGenerator<Uint8Array> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    let position = fromByte;
    let chunkBytes = Math.min(CHUNK_BYTES, Math.max(1, size - fromByte));
    for (;;) {
      // A fresh buffer each time: the consumer may keep what it was given.
      const buffer = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
      // What is appended while we read belongs to the next reading.
      if (position >= size) return;
      chunkBytes = Math.min(CHUNK_BYTES, size - position);
    }
  } finally {
    await handle.close();
  }
}

/** Node has zstd from 22.15 on; a decoder in plain JavaScript serves before that. */
async function* decompressed(path: string): AsyncGenerator<Uint8Array> {
  const create: unknown = Reflect.get(zlib, "createZstdDecompress");
  if (typeof create !== "function") {
    yield* decompressedHere(path);
    return;
  }
  const stream: unknown = create();
  if (!(stream instanceof Transform)) throw new Error("zstd stream expected");
  // Errors of either side come out of the iteration below; ending it early closes the file.
  pipeline(Readable.from(plain(path, 0)), stream, () => {});
  for await (const chunk of stream) {
    if (chunk instanceof Uint8Array) yield chunk;
  }
}

/** Exported for its test: what runs on a Node without zstd. */
export async function* decompressedHere(path: string): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const decoder = new Decompress((chunk) => ready.push(chunk));
  for await (const chunk of plain(path, 0)) {
    decoder.push(chunk, false);
    yield* ready.splice(0);
  }
  decoder.push(new Uint8Array(0), true);
  yield* ready.splice(0);
}

async function* skip(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left >= chunk.byteLength) left -= chunk.byteLength;
    else {
      yield chunk.subarray(left);
      left = 0;
    }
  }
}
