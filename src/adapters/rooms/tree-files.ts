import { ok, type Result } from "../../core/result.ts";
import type { TreeEntry, TreeId, Workspace } from "../../ports/workspace.ts";
import { baseName, type DependencyFiles, dependencyPaths } from "./detect.ts";

/** The dependency files of the base and of the judged tree, and what differs between the trees. */
export interface TreePair {
  readonly base: DependencyFiles;
  readonly judged: DependencyFiles;
  readonly changedPaths: readonly string[];
}

/** Reads each dependency file once; a file that is the same in both trees is shared. */
export async function readTreePair(
  workspace: Workspace,
  base: TreeId,
  judged: TreeId,
): Promise<Result<TreePair>> {
  const before = await readTree(workspace, base, new Map());
  if (!before.ok) return before;
  if (base === judged) return ok({ base: before.value.files, judged: before.value.files, changedPaths: [] });
  const after = await readTree(workspace, judged, before.value.byContent);
  if (!after.ok) return after;
  const changes = await workspace.diff(base, judged);
  if (!changes.ok) return changes;
  return ok({
    base: before.value.files,
    judged: after.value.files,
    changedPaths: changes.value.map((change) => change.path),
  });
}

export async function readDependencyFiles(
  workspace: Workspace,
  tree: TreeId,
): Promise<Result<DependencyFiles>> {
  const read = await readTree(workspace, tree, new Map());
  return read.ok ? ok(read.value.files) : read;
}

interface Read {
  readonly files: DependencyFiles;
  readonly byContent: ReadonlyMap<string, string>;
}

async function readTree(
  workspace: Workspace,
  tree: TreeId,
  known: ReadonlyMap<string, string>,
): Promise<Result<Read>> {
  const listed = await workspace.list(tree);
  if (!listed.ok) return listed;
  const paths = listed.value.map((entry) => entry.path);
  const wanted = new Set([...dependencyPaths(paths), ...paths.filter((path) => baseName(path) === ".npmrc")]);
  const text = new Map<string, string>();
  const byContent = new Map(known);
  for (const entry of listed.value) {
    if (!wanted.has(entry.path) || entry.mode === "symlink") continue;
    const read = byContent.get(entry.content) ?? (await readText(workspace, tree, entry));
    if (typeof read !== "string") {
      if (!read.ok) return read;
      byContent.set(entry.content, read.value);
      text.set(entry.path, read.value);
    } else text.set(entry.path, read);
  }
  return ok({ files: { paths, text }, byContent });
}

async function readText(workspace: Workspace, tree: TreeId, entry: TreeEntry): Promise<Result<string>> {
  const bytes = await workspace.read(tree, entry.path);
  if (!bytes.ok) return bytes;
  return ok(Buffer.from(bytes.value ?? new Uint8Array()).toString("utf8"));
}
