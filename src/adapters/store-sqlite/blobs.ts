import { randomUUID } from "node:crypto";
// Not `node:fs/promises`: most commands touch no blob, and the other is loaded only when it is used.
import { promises as files } from "node:fs";
import { dirname, join } from "node:path";
import { type Digest, sha256 } from "../../core/hash.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Store } from "../../ports/store.ts";
import { syncFolder } from "./home.ts";
import { storeDamaged, storeProblem } from "./problems.ts";
import type { WritePoint } from "./write-points.ts";

/** Content-addressed files `ab/cdef...` of mode 600. A file has its name only once its bytes are on the disk. */
export function blobs(
  folder: string,
  onWritePoint: (name: WritePoint) => void,
): Pick<Store, "putBlob" | "blob"> {
  return {
    putBlob: async (bytes) => {
      const digest = sha256(bytes);
      const file = blobFile(folder, digest);
      try {
        const found = await readIfThere(file);
        if (found === undefined || sha256(found) !== digest) await writeWhole(file, bytes, onWritePoint);
        // Also for a file that was there: the process that renamed it may not have come this far.
        syncFolder(dirname(file));
        syncFolder(folder);
        onWritePoint("blob:after");
        return ok(digest);
      } catch (error) {
        return storeProblem(error, file);
      }
    },
    blob: (digest) => readVerified(blobFile(folder, digest), digest),
  };
}

async function writeWhole(
  file: string,
  bytes: Uint8Array | string,
  onWritePoint: (name: WritePoint) => void,
): Promise<void> {
  await files.mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(file), `.${randomUUID()}.tmp`);
  try {
    const handle = await files.open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    onWritePoint("blob:before");
    await files.rename(temporary, file);
  } catch (error) {
    await files.rm(temporary, { force: true });
    throw error;
  }
}

async function readVerified(file: string, digest: Digest): Promise<Result<Uint8Array | undefined>> {
  try {
    const bytes = await readIfThere(file);
    if (bytes === undefined || sha256(bytes) === digest) return ok(bytes);
    return storeDamaged(file, `its bytes hash to ${sha256(bytes)}`);
  } catch (error) {
    return storeProblem(error, file);
  }
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await files.readFile(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function blobFile(folder: string, digest: Digest): string {
  return join(folder, digest.slice(0, 2), digest.slice(2));
}
