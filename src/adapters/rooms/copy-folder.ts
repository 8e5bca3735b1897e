import { constants } from "node:fs";
import { copyFile, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import { errorCode, isAbsent, openParent } from "./anchored.ts";
import type { Manifest } from "./manifest.ts";
import { manifestDifference } from "./manifest.ts";
import { mapLimit } from "./map-limit.ts";
import { type Scan, scanFolder } from "./scan.ts";

const PARALLEL = 16;

/** Copies what the manifest lists: real copies, or reflinks where the disk can; never hard links. `to` must be empty. */
export async function copyFolder(from: string, manifest: Manifest, to: string): Promise<void> {
  for (const entry of manifest) {
    if (entry.kind === "folder") await mkdir(join(to, entry.path), { recursive: true });
  }
  await mapLimit(manifest, PARALLEL, async (entry) => {
    const target = join(to, entry.path);
    if (entry.kind === "link") await symlink(entry.target, target);
    if (entry.kind === "file") await copyFile(join(from, entry.path), target, constants.COPYFILE_FICLONE);
  });
}

/**
 * Copies a folder of ours to `path` under `root` and proves that the copy holds what the manifest says.
 * Never writes through a link. Problems: `tree-tampered`, `level-unavailable` (the path is taken), `store-full`.
 */
export async function placeVerified(
  from: string,
  manifest: Manifest,
  root: string,
  path: string,
  clockDir: string,
): Promise<Result<Scan>> {
  const to = join(root, path);
  if (!(await makeFolder(root, path))) {
    return fail("level-unavailable", `the tree itself has something at ${path}, where dependencies belong`);
  }
  try {
    await copyFolder(from, manifest, to);
  } catch (error) {
    if (isDiskFull(error)) return diskFull(path);
    if (!isAbsent(error)) throw error;
    return fail("tree-tampered", `a kept copy of ${path} is incomplete`, { cause: String(error) });
  }
  const scan = await scanFolder(to, clockDir);
  const different = manifestDifference(manifest, scan.manifest);
  if (different.length === 0) return ok(scan);
  return fail(
    "tree-tampered",
    `a kept copy of ${path} was changed after it was made: ${different.slice(0, 5).join(", ")}`,
  );
}

export function isDiskFull(error: unknown): boolean {
  return errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";
}

export function diskFull(path: string): Result<never> {
  return fail("store-full", `no space is left to copy ${path}`, {
    hint: "free some space, then start again",
  });
}

/** Makes a new folder at `path`; false when anything, a link included, is there or stands in the way. */
async function makeFolder(root: string, path: string): Promise<boolean> {
  const parent = await openParent(root, path, true);
  if (parent.state !== "open") return false;
  try {
    await mkdir(`${parent.dir}/${parent.name}`);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await parent.close();
  }
}
