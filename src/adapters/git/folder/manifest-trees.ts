import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import * as v from "valibot";
import { byCodePoint, canonicalJson } from "../../../core/canonical-json.ts";
import { sha256 } from "../../../core/hash.ts";
import { fail, InvariantError, ok, type Result } from "../../../core/result.ts";
import type { FileMode, TreeEntry, TreeId } from "../../../ports/workspace.ts";
import { ancestors, parseTreeId } from "../paths.ts";
import { openFolderOf } from "../safe-path.ts";
import { type EntryChange, type EntryEdit, type Held, same, type TreeStore } from "../tree-store.ts";
import { writeHeld } from "../update-folder.ts";
import { walkFiles } from "../walk.ts";
import { type Blobs, openBlobs } from "./blobs.ts";

const MANIFEST = v.array(
  v.object({ path: v.string(), mode: v.picklist(["file", "executable", "symlink"]), content: v.string() }),
);

export interface ManifestTrees extends TreeStore {
  /** Stores a list of entries whose contents are in the store. */
  save(entries: readonly TreeEntry[]): TreeId;
  /** Stores what is at a path and says what it holds. */
  hold(dir: string, path: string): Held;
}

/** Trees of plain folders: a manifest (path, mode, SHA-256) by its hash, and contents by theirs. */
export function manifestTrees(store: string): ManifestTrees {
  const blobs = openBlobs(join(store, "blobs"));
  const save = (entries: readonly TreeEntry[]): TreeId => {
    const sorted = [...entries].sort((a, b) => byCodePoint(a.path, b.path));
    const tree = parseTreeId(blobs.put(Buffer.from(canonicalJson(sorted.map((entry) => ({ ...entry }))))));
    if (tree === undefined) throw new InvariantError("a digest is no tree id");
    return tree;
  };
  const list = async (tree: TreeId): Promise<Result<readonly TreeEntry[]>> => readManifest(blobs, tree);
  const hold = (dir: string, path: string): Held => holdFile(blobs, join(dir, path));
  return {
    save,
    hold,
    list,
    changes: async (from, to) => compare(await list(from), await list(to)),
    entry: async (tree, path) => {
      const listed = await list(tree);
      return listed.ok ? ok(listed.value.find((entry) => entry.path === path)) : listed;
    },
    contents: async (ids, visit) => {
      for (const id of new Set(ids)) {
        const bytes = blobs.get(id);
        if (!bytes.ok) return bytes;
        visit(id, bytes.value);
      }
      return ok(undefined);
    },
    put: async (contents) => ok(contents.map((bytes) => blobs.put(bytes))),
    idOf: sha256,
    rewrite: async (tree, edits) => {
      const listed = await list(tree);
      return listed.ok ? ok(save(applyEdits(listed.value, edits))) : listed;
    },
    hashFolder: async (dir, paths) =>
      ok(save(walkFiles(dir, paths).map((path) => ({ path, ...hold(dir, path) })))),
    writeFolder: async (tree, dir) => {
      const listed = await list(tree);
      return listed.ok ? writeEntries(blobs, listed.value, dir) : listed;
    },
  };
}

function readManifest(blobs: Blobs, tree: TreeId): Result<readonly TreeEntry[]> {
  const bytes = blobs.get(tree);
  if (!bytes.ok) return bytes;
  try {
    return ok(v.parse(MANIFEST, JSON.parse(Buffer.from(bytes.value).toString("utf8"))));
  } catch {
    return fail("tree-unreadable", `${tree.slice(0, 12)} is no manifest`);
  }
}

function holdFile(blobs: Blobs, path: string): Held {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) {
    return { mode: "symlink", content: blobs.put(readlinkSync(path, { encoding: "buffer" })) };
  }
  const mode: FileMode = (stat.mode & 0o100) === 0 ? "file" : "executable";
  return { mode, content: blobs.put(readFileSync(path)) };
}

function compare(
  from: Result<readonly TreeEntry[]>,
  to: Result<readonly TreeEntry[]>,
): Result<readonly EntryChange[]> {
  if (!from.ok) return from;
  if (!to.ok) return to;
  const before = new Map(from.value.map((entry) => [entry.path, entry]));
  const after = new Map(to.value.map((entry) => [entry.path, entry]));
  const changes: EntryChange[] = [];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort(byCodePoint)) {
    const [old, now] = [before.get(path), after.get(path)];
    if (same(old, now)) continue;
    changes.push({
      path,
      ...(old === undefined ? {} : { from: { mode: old.mode, content: old.content } }),
      ...(now === undefined ? {} : { to: { mode: now.mode, content: now.content } }),
    });
  }
  return ok(changes);
}

function applyEdits(entries: readonly TreeEntry[], edits: readonly EntryEdit[]): TreeEntry[] {
  const held = new Map<string, Held>(entries.map(({ path, mode, content }) => [path, { mode, content }]));
  for (const edit of edits) {
    held.delete(edit.path);
    if (edit.held === undefined) continue;
    for (const above of ancestors(edit.path)) held.delete(above);
    for (const path of held.keys()) if (path.startsWith(`${edit.path}/`)) held.delete(path);
    held.set(edit.path, edit.held);
  }
  return [...held].map(([path, one]) => ({ path, ...one }));
}

function writeEntries(blobs: Blobs, entries: readonly TreeEntry[], dir: string): Result<void> {
  for (const { path, mode, content } of entries) {
    const bytes = blobs.get(content);
    if (!bytes.ok) return bytes;
    const folder = openFolderOf(dir, path, true);
    if (folder === undefined) return fail("tree-tampered", `${path} lies behind a link`);
    writeHeld(folder.at(basename(path)), { mode, content }, bytes.value, false);
    folder.close();
  }
  return ok(undefined);
}
