import { constants } from "node:fs";
import { mkdir, open, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import type { CheckFiles } from "../../ports/check-files.ts";

/** Files of the real file system. A link is never followed, a pipe never waited for. */
export function createCheckFiles(): CheckFiles {
  return {
    read: (path, capBytes) => guarded(path, () => readRegular(path, capBytes)),
    write: (path, text) =>
      guarded(path, async () => {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFile(path, text, { mode: 0o600 });
      }),
    remove: (path) => guarded(path, () => unlink(path).catch(unlessAbsent)),
  };
}

async function readRegular(path: string, capBytes: number): Promise<Uint8Array | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(unlessAbsent);
  if (handle === undefined) return undefined;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return undefined;
    const bytes = new Uint8Array(Math.min(stat.size, capBytes));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

async function guarded<T>(path: string, action: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await action());
  } catch (error) {
    return fail(
      "no-such-file",
      `cannot use ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function unlessAbsent(error: unknown): undefined {
  if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
    return undefined;
  throw error;
}
