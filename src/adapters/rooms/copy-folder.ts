import { constants } from "node:fs";
import { copyFile, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import { openParent } from "./anchored.ts";
import type { Manifest } from "./manifest.ts";
import { manifestDifference } from "./manifest.ts";
import { mapLimit } from "./map-limit.ts";
import { type Scan, scanFolder } from "./scan.ts";

const PARALLEL = 16;

/** Copies what the manifest lists: real copies, or reflinks where the disk can; never hard links. `to` must not exist. */
export async function copyFolder(from: string, manifest: Manifest, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
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
 * Never writes through a link. Problem: `tree-tampered`.
 */
export async function placeVerified(
  from: string,
  manifest: Manifest,
  root: string,
  path: string,
  clockDir: string,
): Promise<Result<Scan>> {
  const parent = await openParent(root, path, true);
  if (parent.state !== "open") {
    return fail("tree-tampered", `dependencies cannot be put at ${path}: something else stands in the way`);
  }
  await parent.close();
  const to = join(root, path);
  try {
    await copyFolder(from, manifest, to);
  } catch (error) {
    await rm(to, { recursive: true, force: true });
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
