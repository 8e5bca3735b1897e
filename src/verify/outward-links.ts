import { ok, type Result } from "../core/result.ts";
import type { TreeEntry, TreeId, Workspace } from "../ports/workspace.ts";
import { folderOf } from "./globs.ts";

/**
 * Those of `paths` that are links out of the tree: what they show is no part of it, so that it could change after the
 * verdict. A target that goes up again after going down counts as one, since other links decide where it leads.
 */
export async function outwardLinks(
  workspace: Workspace,
  tree: TreeId,
  entries: readonly TreeEntry[],
  paths: readonly string[],
): Promise<Result<readonly string[]>> {
  const wanted = new Set(paths);
  const outward: string[] = [];
  for (const { path, mode } of entries) {
    if (mode !== "symlink" || !wanted.has(path)) continue;
    const bytes = await workspace.read(tree, path);
    if (!bytes.ok) return bytes;
    if (leadsOut(path, new TextDecoder().decode(bytes.value))) outward.push(path);
  }
  return ok(outward);
}

/** Pure. `path` is the link's own, relative to the root of the tree. */
export function leadsOut(path: string, target: string): boolean {
  if (target.startsWith("/")) return true;
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const down = parts.findIndex((part) => part !== "..");
  const ups = down < 0 ? parts.length : down;
  const rest = parts.slice(ups);
  const folders = folderOf(path) === "" ? [] : folderOf(path).split("/");
  const kept = folders.length - ups;
  return kept < 0 || rest.includes("..") || [...folders.slice(0, kept), ...rest].includes(".git");
}
