import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";

/** Removes a folder of ours whatever permissions tools have left in it. */
export async function removeTree(dir: string): Promise<Result<void>> {
  try {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    return ok(undefined);
  } catch {
    return removeLocked(dir);
  }
}

async function removeLocked(dir: string): Promise<Result<void>> {
  try {
    await unlock(dir);
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    return ok(undefined);
  } catch (error) {
    return fail("level-unavailable", `a room cannot be removed: ${dir}`, { cause: String(error) });
  }
}

async function unlock(dir: string): Promise<void> {
  await chmod(dir, 0o700);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await unlock(join(dir, entry.name));
  }
}
