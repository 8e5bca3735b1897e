import { mkdirSync, readdirSync } from "node:fs";
import { fail, ok, type Result } from "../../core/result.ts";
import type { PathChange, TreeId } from "../../ports/workspace.ts";
import { realFolder } from "./discover.ts";
import { type TreeStore, toPathChange } from "./tree-store.ts";

/** Writes a tree into an empty or absent folder, then hashes what is there. Problem: `tree-tampered`. */
export async function materialiseTree(trees: TreeStore, tree: TreeId, dir: string): Promise<Result<void>> {
  mkdirSync(dir, { recursive: true });
  if (readdirSync(dir).length > 0) return fail("bad-input", `the folder ${dir} is not empty`);
  const written = await trees.writeFolder(tree, dir);
  if (!written.ok) return written;
  const found = await trees.hashFolder(dir, "all", "known");
  if (!found.ok) return found;
  if (found.value === tree) return ok(undefined);
  const changes = await trees.changes(tree, found.value);
  const first = changes.ok ? changes.value[0]?.path : undefined;
  return fail(
    "tree-tampered",
    `the checkout in ${dir} does not hold what was written: ${first ?? "its tree differs"}`,
  );
}

export async function verifyTree(
  trees: TreeStore,
  tree: TreeId,
  dir: string,
  strict: boolean,
): Promise<Result<readonly PathChange[]>> {
  const real = realFolder(dir);
  if (!real.ok) return real;
  const listed = strict ? undefined : await trees.list(tree);
  if (listed !== undefined && !listed.ok) return listed;
  const found = await trees.hashFolder(
    real.value,
    listed === undefined ? "all" : listed.value.map(({ path }) => path),
    "known",
  );
  if (!found.ok) return found;
  const changes = await trees.changes(tree, found.value);
  return changes.ok ? ok(changes.value.map(toPathChange)) : changes;
}
