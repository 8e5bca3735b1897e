import { sha256 } from "../core/hash.ts";
import { InvariantError, ok } from "../core/result.ts";
import type { ChangeKind, FileMode, PathChange, TreeEntry, TreeId, Workspace } from "../ports/workspace.ts";

/** A file of a tree in memory: text, or text with a mode. */
export type TreeFile = string | { readonly mode: FileMode; readonly text: string };
export type TreeFiles = Readonly<Record<string, TreeFile>>;

/** The part of a workspace that judging needs, over trees in memory. */
export interface TreeWorkspace extends Workspace {
  /** The id of a tree with these files. */
  tree(files: TreeFiles): TreeId;
  files(tree: TreeId): ReadonlyMap<string, { readonly mode: FileMode; readonly text: string }>;
}

type Files = ReadonlyMap<string, { readonly mode: FileMode; readonly text: string }>;

export function treeWorkspace(root = "/nowhere"): TreeWorkspace {
  const trees = new Map<string, Files>();
  const keep = (files: Files): TreeId => {
    const sorted = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
    const id = sha256(JSON.stringify([...sorted])).slice(0, 40) as TreeId;
    trees.set(id, sorted);
    return id;
  };
  const filesOf = (tree: TreeId): Files => {
    const files = trees.get(tree);
    if (files === undefined) throw new InvariantError(`no tree ${tree}`);
    return files;
  };
  const never = async (): Promise<never> => {
    throw new InvariantError("judging does not use this");
  };
  return {
    root,
    kind: "git",
    rules: "",
    skipped: [],
    tree: (files) =>
      keep(
        new Map(
          Object.entries(files).map(([path, file]) => [
            path,
            typeof file === "string" ? { mode: "file", text: file } : file,
          ]),
        ),
      ),
    files: filesOf,
    diff: async (from, to) => ok(difference(filesOf(from), filesOf(to))),
    list: async (tree) =>
      ok(
        [...filesOf(tree)].map(
          ([path, { mode, text }]): TreeEntry => ({ path, mode, content: sha256(text) }),
        ),
      ),
    read: async (tree, path) => {
      const file = filesOf(tree).get(path);
      return ok(file === undefined ? undefined : new TextEncoder().encode(file.text));
    },
    compose: async (tree, edit) => {
      const files = new Map(filesOf(tree));
      for (const path of edit.restore.paths) {
        const old = filesOf(edit.restore.from).get(path);
        if (old === undefined) files.delete(path);
        else files.set(path, old);
      }
      for (const path of edit.omit) files.delete(path);
      for (const { path, bytes } of edit.replace) {
        files.set(path, { mode: files.get(path)?.mode ?? "file", text: new TextDecoder().decode(bytes) });
      }
      return ok(keep(files));
    },
    snapshot: never,
    patch: never,
    ignored: never,
    materialise: never,
    verify: never,
    update: never,
    facts: never,
    history: never,
    addHistory: never,
    addWorktree: never,
    integrate: never,
    removeWorktree: never,
    commit: never,
    canDeliver: never,
    branch: never,
  };
}

function difference(from: Files, to: Files): readonly PathChange[] {
  const paths = [...new Set([...from.keys(), ...to.keys()])].sort();
  return paths.flatMap((path) => {
    const kind = changeKind(from.get(path), to.get(path));
    return kind === undefined ? [] : [{ path, kind }];
  });
}

type File = { readonly mode: FileMode; readonly text: string };

function changeKind(before: File | undefined, after: File | undefined): ChangeKind | undefined {
  if (before === undefined) return after === undefined ? undefined : "added";
  if (after === undefined) return "deleted";
  if (before.text !== after.text) return "modified";
  return before.mode === after.mode ? undefined : "mode";
}
