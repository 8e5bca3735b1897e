import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { ok, type Result } from "../../core/result.ts";
import type { TreeId } from "../../ports/workspace.ts";
import { realFolder } from "./discover.ts";
import { openFolderOf, type SafeFolder } from "./safe-path.ts";
import { type EntryChange, type Held, same, type TreeStore } from "./tree-store.ts";
import { statAt } from "./walk.ts";

/** Told the name of each step that is done. */
export type StepListener = (step: string) => void;

/**
 * Brings a folder from one tree to another by difference. A path that holds neither what `from` nor what `to` says
 * is left as it is and returned. Never follows a link, never writes outside the folder.
 */
export async function updateFolder(
  trees: TreeStore,
  folder: string,
  from: TreeId,
  to: TreeId,
  onStep: StepListener = () => undefined,
): Promise<Result<readonly string[]>> {
  const real = realFolder(folder);
  if (!real.ok) return real;
  const dir = real.value;
  const changes = await trees.changes(from, to);
  if (!changes.ok) return changes;
  const left = new Set<string>();
  const writes = new Map<string, EntryChange[]>();
  for (const change of changes.value) {
    const found = heldAt(trees, dir, change.path);
    if (found !== "other" && same(found, change.to)) continue;
    if (found === "other" || !same(found, change.from)) {
      left.add(change.path);
    } else if (change.to !== undefined) {
      writes.set(change.to.content, [...(writes.get(change.to.content) ?? []), change]);
    }
  }
  // Removals first: a link that stood where a folder must be is gone before the folder is made.
  const removals = changes.value.filter(({ path, to: held }) => held === undefined && !left.has(path));
  for (const { path, from: held } of removals.reverse()) {
    if (held !== undefined && !remove(trees, dir, path, held)) left.add(path);
    onStep(`remove ${path}`);
  }
  const written = await trees.contents(writes.keys(), (content, bytes) => {
    for (const { path, from: before, to: after } of writes.get(content) ?? []) {
      if (after !== undefined && !write(trees, dir, { path, before, after, onStep }, bytes)) left.add(path);
      onStep(`write ${path}`);
    }
  });
  return written.ok ? ok([...left].sort()) : written;
}

/** What is at a path now: `other` for anything that a tree cannot hold or that a link leads to. */
function heldAt(trees: TreeStore, dir: string, path: string): Held | undefined | "other" {
  const folder = openFolderOf(dir, path, false);
  if (folder === undefined) return undefined; // A file or link on the way: nothing is at this path itself.
  try {
    return heldIn(trees, folder, basename(path));
  } finally {
    folder.close();
  }
}

function heldIn(trees: TreeStore, folder: SafeFolder, name: string): Held | undefined | "other" {
  const file = folder.at(name);
  const stat = statAt(file);
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) {
    return { mode: "symlink", content: trees.idOf(readlinkSync(file, { encoding: "buffer" })) };
  }
  if (stat.isDirectory()) return undefined; // Judged by the files in it; an obstacle shows when writing fails.
  if (!stat.isFile()) return "other";
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const mode = (fstatSync(fd).mode & 0o100) === 0 ? "file" : "executable";
    return { mode, content: trees.idOf(readFileSync(fd)) };
  } finally {
    closeSync(fd);
  }
}

/** Removes a file that still holds what it should, and the folders that become empty. */
function remove(trees: TreeStore, dir: string, path: string, held: Held): boolean {
  const folder = openFolderOf(dir, path, false);
  if (folder === undefined) return false;
  try {
    const found = heldIn(trees, folder, basename(path));
    if (found === "other" || !same(found, held)) return false;
    unlinkSync(folder.at(basename(path)));
  } finally {
    folder.close();
  }
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    const above = openFolderOf(dir, at, false);
    if (above === undefined) break;
    const isGone = removeIfEmpty(above.at(basename(at)));
    above.close();
    if (!isGone) break;
  }
  return true;
}

function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

interface Write {
  readonly path: string;
  readonly before: Held | undefined;
  readonly after: Held;
  readonly onStep: StepListener;
}

/**
 * Writes beside the target and renames over it, after a last look at what it holds. The name beside it follows from
 * the content, so that who repeats what a crash cut off clears it away.
 */
function write(
  trees: TreeStore,
  dir: string,
  { path, before, after, onStep }: Write,
  bytes: Uint8Array,
): boolean {
  const folder = openFolderOf(dir, path, true);
  if (folder === undefined) return false;
  const name = basename(path);
  const temporary = folder.at(`.loopwright-${after.content.slice(0, 16)}.tmp`);
  try {
    unlinkQuietly(temporary);
    // Synced: this is the user's own folder, and a power cut must not leave an empty file.
    writeHeld(temporary, after, bytes, true);
    onStep(`beside ${path}`);
    const found = heldIn(trees, folder, name);
    if (found === "other" || !same(found, before)) {
      unlinkSync(temporary);
      return false;
    }
    removeIfEmpty(folder.at(name));
    renameSync(temporary, folder.at(name));
    return true;
  } catch {
    unlinkQuietly(temporary);
    return false;
  } finally {
    folder.close();
  }
}

/** Makes a new file or link, synced if asked; fails when something is there. */
export function writeHeld(path: string, held: Held, bytes: Uint8Array, isSynced: boolean): void {
  if (held.mode === "symlink") {
    symlinkSync(Buffer.from(bytes), path);
    return;
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(path, flags, held.mode === "executable" ? 0o777 : 0o666);
  try {
    writeFileSync(fd, bytes);
    if (isSynced) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is not there.
  }
}
