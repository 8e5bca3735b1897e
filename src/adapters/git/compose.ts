import { ok, type Result } from "../../core/result.ts";
import type { TreeEdit, TreeEntry, TreeId } from "../../ports/workspace.ts";
import { covers } from "./paths.ts";
import type { EntryEdit, TreeStore } from "./tree-store.ts";

/** A path of the edit that is a folder stands for everything in it. */
export async function composeTree(trees: TreeStore, tree: TreeId, edit: TreeEdit): Promise<Result<TreeId>> {
  const [own, source] = await Promise.all([trees.list(tree), trees.list(edit.restore.from)]);
  if (!own.ok) return own;
  if (!source.ok) return source;
  const replaced = await trees.put(edit.replace.map((one) => one.bytes));
  if (!replaced.ok) return replaced;
  const restored = new Set(edit.restore.paths);
  const omitted = new Set(edit.omit);
  const edits: EntryEdit[] = [];
  for (const { path } of own.value) if (covers(restored, path)) edits.push({ path });
  for (const entry of source.value) if (covers(restored, entry.path)) edits.push(asEdit(entry));
  for (const { path } of [...own.value, ...source.value]) if (covers(omitted, path)) edits.push({ path });
  const modes = new Map(own.value.map((entry) => [entry.path, entry.mode]));
  edit.replace.forEach(({ path }, at) => {
    const mode = modes.get(path) === "executable" ? "executable" : "file";
    edits.push({ path, held: { mode, content: replaced.value[at] ?? "" } });
  });
  return edits.length === 0 ? ok(tree) : trees.rewrite(tree, edits);
}

export function asEdit({ path, mode, content }: TreeEntry): EntryEdit {
  return { path, held: { mode, content } };
}
