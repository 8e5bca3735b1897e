import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, InvariantError, ok, type Result } from "../../core/result.ts";
import type { FileMode, TreeEntry, TreeId } from "../../ports/workspace.ts";
import { readContents } from "./batch.ts";
import { blobId } from "./blob-id.ts";
import { type Contents, indexPaths } from "./index-paths.ts";
import { Listings } from "./listings.ts";
import type { ObjectStore } from "./object-store.ts";
import { joinNul, parseTreeId, splitNul } from "./paths.ts";
import type { EntryChange, EntryEdit, Held, TreeStore } from "./tree-store.ts";
import { walkFiles } from "./walk.ts";

const MODES: Readonly<Record<string, FileMode>> = {
  "100644": "file",
  "100755": "executable",
  "120000": "symlink",
};
const NUMBERS: Readonly<Record<FileMode, string>> = {
  file: "100644",
  executable: "100755",
  symlink: "120000",
};
const NO_OBJECT = "0".repeat(64);

/** Trees as git objects in our own repository. */
export function gitTrees(store: ObjectStore): TreeStore {
  const listings = new Listings();
  return {
    list: (tree) => listings.of(tree, () => listTree(store, tree, [])),
    changes: (from, to) => treeChanges(store, from, to),
    entry: async (tree, path) => {
      const found = await (listings.known(tree) ?? listTree(store, tree, ["--", path]));
      return found.ok ? ok(found.value.find((entry) => entry.path === path)) : found;
    },
    contents: (ids, visit) => readContents(store, ids, visit),
    put: (contents) => putContents(store, contents),
    idOf: blobId,
    rewrite: (tree, edits) => rewriteTree(store, tree, edits),
    hashFolder: (dir, paths, contents) => hashFolder(store, dir, paths, contents),
    writeFolder: async (tree, dir) => {
      const index = store.scratch("checkout");
      const read = await store.run(["read-tree", tree], { index });
      const done = read.ok ? await store.run(["checkout-index", "-a", "-q"], { index, dir }) : read;
      rmSync(index, { force: true });
      return done.ok ? ok(undefined) : unreadable(tree, done.problem.message);
    },
  };
}

function unreadable(tree: string, why: string): ReturnType<typeof fail> {
  return fail("tree-unreadable", `tree ${tree.slice(0, 12)} cannot be read: ${why}`);
}

async function listTree(
  store: ObjectStore,
  tree: TreeId,
  paths: readonly string[],
): Promise<Result<readonly TreeEntry[]>> {
  const listed = await store.run(["ls-tree", "-r", "-z", tree, ...paths]);
  if (!listed.ok) return unreadable(tree, listed.problem.message);
  return ok(
    splitNul(listed.value.stdout).map((line) => {
      const tab = line.indexOf("\t");
      return { path: line.slice(tab + 1), ...held(line.slice(0, 6), line.slice(12, tab)) };
    }),
  );
}

function held(number: string, content: string): Held {
  const mode = MODES[number];
  if (mode === undefined) throw new InvariantError(`a tree of ours holds mode ${number}`);
  return { mode, content };
}

async function treeChanges(
  store: ObjectStore,
  from: TreeId,
  to: TreeId,
): Promise<Result<readonly EntryChange[]>> {
  if (from === to) return ok([]);
  const raw = await store.run(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to]);
  if (!raw.ok) return unreadable(from, raw.problem.message);
  const parts = splitNul(raw.value.stdout);
  const changes: EntryChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [before = "", after = "", beforeId = "", afterId = ""] = (parts[at] ?? "").slice(1).split(" ");
    changes.push({
      path: parts[at + 1] ?? "",
      ...(before === "000000" ? {} : { from: held(before, beforeId) }),
      ...(after === "000000" ? {} : { to: held(after, afterId) }),
    });
  }
  return ok(changes);
}

async function putContents(
  store: ObjectStore,
  contents: readonly Uint8Array[],
): Promise<Result<readonly string[]>> {
  if (contents.length === 0) return ok([]);
  const folder = store.scratch("put");
  mkdirSync(folder);
  const files = contents.map((bytes, at) => {
    const file = join(folder, String(at));
    writeFileSync(file, bytes);
    return file;
  });
  const made = await store.run(["hash-object", "-w", "--no-filters", "--stdin-paths"], {
    input: `${files.join("\n")}\n`,
  });
  rmSync(folder, { recursive: true });
  return made.ok ? ok(made.value.stdout.toString("latin1").trim().split("\n")) : made;
}

async function rewriteTree(
  store: ObjectStore,
  tree: TreeId,
  edits: readonly EntryEdit[],
): Promise<Result<TreeId>> {
  if (edits.length === 0) return ok(tree);
  const index = store.scratch("rewrite");
  const input = joinNul(
    edits.map(({ path, held }) =>
      held === undefined ? `0 ${NO_OBJECT}\t${path}` : `${NUMBERS[held.mode]} ${held.content}\t${path}`,
    ),
  );
  const read = await store.run(["read-tree", tree], { index });
  if (!read.ok) return unreadable(tree, read.problem.message);
  const edited = await store.run(["update-index", "--replace", "-z", "--index-info"], { index, input });
  const written = edited.ok ? await writeTree(store, index) : edited;
  rmSync(index, { force: true });
  return written;
}

export async function writeTree(store: ObjectStore, index: string): Promise<Result<TreeId>> {
  const written = await store.run(["write-tree"], { index });
  if (!written.ok) return fail("tree-unreadable", `the tree cannot be written: ${written.problem.message}`);
  const tree = parseTreeId(written.value.stdout.toString("latin1").trim());
  if (tree === undefined) throw new InvariantError("git write-tree did not print a SHA-256 id");
  return ok(tree);
}

async function hashFolder(
  store: ObjectStore,
  dir: string,
  paths: readonly string[] | "all",
  contents: Contents,
): Promise<Result<TreeId>> {
  store.ensure();
  const files = walkFiles(dir, paths);
  const index = store.scratch("hash");
  const indexed = await indexPaths(store, { dir, index }, files, contents);
  const written = indexed.ok ? await writeTree(store, index) : indexed;
  rmSync(index, { force: true });
  return written;
}
