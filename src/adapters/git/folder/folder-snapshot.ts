import { lstatSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as v from "valibot";
import { sha256 } from "../../../core/hash.ts";
import type { TreeEntry, TreeId } from "../../../ports/workspace.ts";
import { textOf } from "../discover.ts";
import { isCache } from "../generated.ts";
import { isOurs } from "../paths.ts";
import { everyFile } from "../walk.ts";
import type { ManifestTrees } from "./manifest-trees.ts";

/** A file's size, times and inode with what it held then; it holds while the inode shows no change. */
const NOTES = v.record(
  v.string(),
  v.object({ stamp: v.string(), mode: v.picklist(["file", "executable", "symlink"]), content: v.string() }),
);

export interface FolderShot {
  readonly tree: TreeId;
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** The manifest of a folder without caches of tools; files whose inode is unchanged are not read again. */
export function shootFolder(trees: ManifestTrees, store: string, dir: string): FolderShot {
  const notesFile = join(store, `stat-${sha256(dir).slice(0, 32)}.json`);
  const before = readNotes(notesFile);
  const after: v.InferOutput<typeof NOTES> = {};
  const entries: TreeEntry[] = [];
  const skipped: { path: string; why: string }[] = [];
  const settledNs = fileSystemTimeNs(store) - SETTLED_NS;
  for (const path of everyFile(dir, "", leftOut(dir, store))) {
    const stat = lstatSync(join(dir, path), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) continue;
    const stamp = [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(":");
    const note = Object.hasOwn(before, path) ? before[path] : undefined;
    try {
      const held = note?.stamp === stamp ? { mode: note.mode, content: note.content } : trees.hold(dir, path);
      entries.push({ path, ...held });
      if (stat.ctimeNs < settledNs) after[path] = { stamp, ...held };
    } catch (error) {
      skipped.push({ path, why: error instanceof Error ? error.message : "cannot be read" });
    }
  }
  mkdirSync(store, { recursive: true });
  writeFileSync(`${notesFile}.${process.pid}`, JSON.stringify(after));
  renameSync(`${notesFile}.${process.pid}`, notesFile);
  return { tree: trees.save(entries), skipped };
}

/** Far more than the grain of any file system's time stamps that we meet. */
const SETTLED_NS = 2_000_000_000n;

export function leftOut(dir: string, store: string): (path: string, isFolder: boolean) => boolean {
  const ours = relative(dir, store);
  return (path, isFolder) => isFolder && (isCache(path) || isOurs(path) || path === ours);
}

function fileSystemTimeNs(store: string): bigint {
  const probe = join(store, `clock-${process.pid}`);
  writeFileSync(probe, "");
  return lstatSync(probe, { bigint: true }).ctimeNs;
}

function readNotes(file: string): v.InferOutput<typeof NOTES> {
  try {
    return v.parse(NOTES, JSON.parse(textOf(file) ?? "{}"));
  } catch {
    return {};
  }
}
