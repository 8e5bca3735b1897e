import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { sha256 } from "../../core/hash.ts";
import { ok, type Result } from "../../core/result.ts";
import type { TreeId, Workspace } from "../../ports/workspace.ts";
import { isAbsent, openParent } from "./anchored.ts";

/** What stands at a path, with its bytes: a link is stored as its target. */
export type Content =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly executable: boolean; readonly bytes: Uint8Array }
  | { readonly kind: "link"; readonly target: string };

/** Equal marks mean equal content: `absent`, `file:<sha256>`, `exec:<sha256>`, `link:<sha256>`, `other`. */
export type Mark = string;

export const ABSENT: Content = { kind: "absent" };

export function markOf(content: Content): Mark {
  switch (content.kind) {
    case "absent":
      return "absent";
    case "link":
      return `link:${sha256(content.target)}`;
    case "file":
      return `${content.executable ? "exec" : "file"}:${sha256(content.bytes)}`;
  }
}

/** What the disk holds now; `other` for a folder, a device or a path behind a link. */
export async function diskMark(root: string, path: string): Promise<Mark> {
  const parent = await openParent(root, path, false);
  if (parent.state === "absent") return "absent";
  if (parent.state === "blocked") return "absent";
  try {
    return await markAt(`${parent.dir}/${parent.name}`);
  } finally {
    await parent.close();
  }
}

/** The mark of a path whose parent is already held. */
export async function markAt(path: string): Promise<Mark> {
  try {
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return markOf({ kind: "link", target: await readlink(path) });
    if (!stat.isFile()) return "other";
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return markOf({ kind: "file", executable: isExecutable(stat.mode), bytes: await handle.readFile() });
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isAbsent(error)) return "absent";
    throw error;
  }
}

export function isExecutable(mode: number | bigint): boolean {
  return (Number(mode) & 0o100) !== 0;
}

/** Reads the content of some paths of a tree out of our object store. */
export async function contentsOf(
  workspace: Workspace,
  tree: TreeId,
  paths: readonly string[],
): Promise<Result<ReadonlyMap<string, Content>>> {
  const listed = await workspace.list(tree);
  if (!listed.ok) return listed;
  const modes = new Map(listed.value.map((entry) => [entry.path, entry.mode]));
  const contents = new Map<string, Content>();
  for (const path of paths) {
    const mode = modes.get(path);
    if (mode === undefined) {
      contents.set(path, ABSENT);
      continue;
    }
    const bytes = await workspace.read(tree, path);
    if (!bytes.ok) return bytes;
    if (bytes.value === undefined) contents.set(path, ABSENT);
    else if (mode === "symlink") {
      contents.set(path, { kind: "link", target: Buffer.from(bytes.value).toString("utf8") });
    } else contents.set(path, { kind: "file", executable: mode === "executable", bytes: bytes.value });
  }
  return ok(contents);
}
