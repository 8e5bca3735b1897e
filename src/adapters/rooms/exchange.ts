import { constants } from "node:fs";
import {
  chmod,
  type FileHandle,
  open,
  readdir,
  rename,
  rmdir,
  symlink,
  unlink,
  utimes,
} from "node:fs/promises";
import { errorCode, isAbsent, openParent, type Parent } from "./anchored.ts";
import { type Content, type Mark, markAt, markOf } from "./disk-state.ts";

/** One path whose content is changed from what is expected there to something else. */
export interface Move {
  readonly path: string;
  readonly expect: Mark;
  readonly put: Content;
  /** Permission bits of the file, when it is known what they were. */
  readonly mode?: number;
  readonly mtimeMs?: number;
  /** Name of the temporary file beside the path, unique to this move. */
  readonly temporary: string;
}

/** Told before each change of the disk; a crash may fall on any of them. */
export type StepListener = (step: string) => void;

/**
 * Carries out moves inside `root`, removals first, never through a link. A path that holds neither what is expected
 * nor what is put is left alone and returned. Each file changes by one rename of a synced file.
 */
export async function exchange(
  root: string,
  moves: readonly Move[],
  onStep: StepListener,
): Promise<readonly string[]> {
  const conflicts: string[] = [];
  const ordered = moves.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const removals = ordered.filter((move) => move.put.kind === "absent").reverse();
  for (const move of removals) {
    onStep(`remove ${move.path}`);
    if (!(await remove(root, move))) conflicts.push(move.path);
  }
  for (const move of ordered) {
    if (move.put.kind === "absent") continue;
    onStep(`write ${move.path}`);
    if (!(await write(root, move, move.put, onStep))) conflicts.push(move.path);
  }
  return conflicts;
}

async function remove(root: string, move: Move): Promise<boolean> {
  const parent = await openParent(root, move.path, false);
  if (parent.state !== "open") return true;
  try {
    const target = `${parent.dir}/${parent.name}`;
    const now = await markAt(target);
    // A folder in its place means that the path itself is already gone.
    if (now === "absent" || now === "other") return true;
    if (now !== move.expect) return false;
    await unlink(target);
    await syncFolder(parent.dir);
    return true;
  } finally {
    await parent.close();
  }
}

type Present = Exclude<Content, { readonly kind: "absent" }>;

async function write(root: string, move: Move, put: Present, onStep: StepListener): Promise<boolean> {
  const parent = await openParent(root, move.path, true);
  if (parent.state !== "open") return false;
  try {
    const target = `${parent.dir}/${parent.name}`;
    const now = await markAt(target);
    if (now === markOf(put)) return true;
    if (now === "other" ? !(await dropEmptyFolder(target)) : now !== move.expect) return false;
    await replace(parent, move, put, onStep);
    return true;
  } finally {
    await parent.close();
  }
}

async function replace(
  parent: Extract<Parent, { state: "open" }>,
  move: Move,
  put: Present,
  onStep: StepListener,
): Promise<void> {
  const temporary = `${parent.dir}/${move.temporary}`;
  await removeIfThere(temporary);
  if (put.kind === "link") await symlink(put.target, temporary);
  else await writeSynced(temporary, put.bytes, fileMode(put.executable, move.mode));
  if (put.kind === "file" && move.mtimeMs !== undefined) {
    await utimes(temporary, move.mtimeMs / 1000, move.mtimeMs / 1000);
  }
  onStep(`rename ${move.path}`);
  await rename(temporary, `${parent.dir}/${parent.name}`);
  await syncFolder(parent.dir);
}

function fileMode(executable: boolean, known: number | undefined): number {
  const mode = known ?? 0o644;
  // Execution follows reading, as git and umask do.
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

/** Writes a new file and syncs it. */
export async function writeSynced(path: string, bytes: Uint8Array | string, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(path, flags, mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(path, mode);
}

/** Makes the names in a folder durable, where the platform lets a folder be synced. */
export async function syncFolder(dir: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(dir, constants.O_RDONLY);
    await handle.sync();
  } catch (error) {
    if (!["EISDIR", "EPERM", "EINVAL", "EACCES"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await handle?.close();
  }
}

export async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Removes a folder that holds nothing but empty folders; false when it holds more. */
async function dropEmptyFolder(path: string): Promise<boolean> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined || entries.some((entry) => !entry.isDirectory())) return false;
  for (const entry of entries) {
    if (!(await dropEmptyFolder(`${path}/${entry.name}`))) return false;
  }
  await rmdir(path);
  return true;
}
