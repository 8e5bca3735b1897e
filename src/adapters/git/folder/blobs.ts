import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Digest, sha256 } from "../../../core/hash.ts";
import { fail, ok, type Result } from "../../../core/result.ts";

/** Contents of files by their SHA-256, written once and synced. */
export interface Blobs {
  put(bytes: Uint8Array): Digest;
  /** Problem: `tree-unreadable` when it is absent or does not hash to its name. */
  get(digest: string): Result<Uint8Array>;
}

export function openBlobs(folder: string): Blobs {
  const pathOf = (digest: string): string => join(folder, digest.slice(0, 2), digest.slice(2));
  return {
    put: (bytes) => {
      const digest = sha256(bytes);
      const path = pathOf(digest);
      if (!existsSync(path)) writeSynced(path, bytes);
      return digest;
    },
    get: (digest) => {
      const bytes = readOrNothing(pathOf(digest));
      if (bytes !== undefined && sha256(bytes) === digest) return ok(bytes);
      return fail("tree-unreadable", `content ${digest.slice(0, 12)} is ${bytes ? "damaged" : "missing"}`);
    },
  };
}

function writeSynced(path: string, bytes: Uint8Array): void {
  mkdirSync(join(path, ".."), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  const fd = openSync(temporary, "w");
  try {
    writeFileSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
}

function readOrNothing(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
