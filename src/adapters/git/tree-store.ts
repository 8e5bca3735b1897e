import type { Result } from "../../core/result.ts";
import type { ChangeKind, FileMode, PathChange, TreeEntry, TreeId } from "../../ports/workspace.ts";

/** What a path holds: a mode and a content id. */
export interface Held {
  readonly mode: FileMode;
  readonly content: string;
}

export interface EntryChange {
  readonly path: string;
  readonly from?: Held;
  readonly to?: Held;
}

/** Sets a path to what `held` says, or removes it. An added path replaces what stands in its way. */
export interface EntryEdit {
  readonly path: string;
  readonly held?: Held;
}

/**
 * Trees by id, with the contents of their files. Two kinds: git objects of ours, and manifests of plain folders.
 * Every method fails with `tree-unreadable` when something that a tree names is gone or damaged.
 */
export interface TreeStore {
  list(tree: TreeId): Promise<Result<readonly TreeEntry[]>>;
  /** In order of path; without detection of renames. */
  changes(from: TreeId, to: TreeId): Promise<Result<readonly EntryChange[]>>;
  entry(tree: TreeId, path: string): Promise<Result<Held | undefined>>;
  /** Visits each content once, in no promised order, one at a time. */
  contents(ids: Iterable<string>, visit: (id: string, bytes: Uint8Array) => void): Promise<Result<void>>;
  put(contents: readonly Uint8Array[]): Promise<Result<readonly string[]>>;
  /** The content id that these bytes have or would have. */
  idOf(bytes: Uint8Array): string;
  /** The tree with the edits applied in order. */
  rewrite(tree: TreeId, edits: readonly EntryEdit[]): Promise<Result<TreeId>>;
  /** Stores a folder as it is: the paths given, or all of it (`.git` never). `contents` is a guess that saves time. */
  hashFolder(
    dir: string,
    paths: readonly string[] | "all",
    contents: "new" | "known",
  ): Promise<Result<TreeId>>;
  /** Writes a tree into an empty folder. */
  writeFolder(tree: TreeId, dir: string): Promise<Result<void>>;
}

export function same(a: Held | undefined, b: Held | undefined): boolean {
  return a?.content === b?.content && a?.mode === b?.mode;
}

export function toPathChange(change: EntryChange): PathChange {
  return { path: change.path, kind: kindOf(change) };
}

function kindOf({ from, to }: EntryChange): ChangeKind {
  if (from === undefined) return "added";
  if (to === undefined) return "deleted";
  if ((from.mode === "symlink") !== (to.mode === "symlink")) return "type";
  return from.content === to.content ? "mode" : "modified";
}
