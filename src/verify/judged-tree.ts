import { ok, type Result } from "../core/result.ts";
import type { PathChange, TreeEdit, TreeId, Workspace } from "../ports/workspace.ts";
import { isTestPath } from "./conventions.ts";
import { foldersAbove, matcher } from "./globs.ts";
import { manifestKind, splitManifest } from "./manifests/index.ts";
import { guardsAdded } from "./protect.ts";
import type { CheckJob } from "./run-check.ts";
import type { Protection } from "./types.ts";

/** What has to be undone in the found tree before it can be judged. Paths are sorted. */
export interface JudgedPlan {
  /** Protected paths of the base tree that the work changed. */
  readonly restore: readonly string[];
  /** Paths the work added where they could hook the judgement, or where a restored path must stand. */
  readonly omit: readonly string[];
  /** Mixed manifests that the work changed, added or deleted. */
  readonly manifests: readonly string[];
  /** Added test files among `omit`: they are run apart, for information. */
  readonly addedTests: readonly string[];
  /** Changed test files that wait for approval, where added ones count. */
  readonly needsApproval: readonly string[];
}

/**
 * Pure. `changes` are from the base tree to the found one. `approved` paths, which a person has looked at, stand as
 * they were found.
 */
export function planJudgedTree(
  protection: Protection,
  changes: readonly PathChange[],
  approved: readonly string[] = [],
): JudgedPlan {
  const known = new Set(protection.paths);
  const guards = guardsAdded(protection);
  const free = matcher(protection.unprotected);
  const accepted = new Set(approved);
  const open = changes.filter((change) => !accepted.has(change.path));
  const isManifest = (path: string) => manifestKind(path) !== undefined && !free(path);
  const restore = open.filter((change) => change.kind !== "added" && known.has(change.path)).map(toPath);
  const added = changes.filter((change) => change.kind === "added").map(toPath);
  const manifests = open.map(toPath).filter(isManifest);
  const hooks = added.filter((path) => !accepted.has(path) && !known.has(path) && guards(path));
  const blockers = standingInTheWay([...restore, ...manifests], added);
  return {
    restore: restore.sort(),
    omit: [...new Set([...hooks, ...blockers])].sort(),
    manifests: manifests.sort(),
    addedTests: hooks.filter(isTestPath).sort(),
    needsApproval: protection.allowTests ? restore.filter(isTestPath) : [],
  };
}

/** A file or link where a restored path needs a folder, and everything below a folder where it needs a file. */
function standingInTheWay(restored: readonly string[], added: readonly string[]): readonly string[] {
  const folders = new Set(restored.flatMap(foldersAbove));
  const files = new Set(restored);
  return added.filter((path) => folders.has(path) || foldersAbove(path).some((folder) => files.has(folder)));
}

function toPath(change: PathChange): string {
  return change.path;
}

export type Judged =
  | {
      readonly kind: "composed";
      readonly tree: TreeId;
      /** The same with the added tests in it; absent when there are none. */
      readonly withAddedTests?: TreeId;
      /** Protected paths that the work touched and that are judged as they were. */
      readonly touched: readonly string[];
    }
  /** A manifest that cannot be split: nothing is judged in its place. */
  | { readonly kind: "unusable"; readonly why: string; readonly touched: readonly string[] };

/** Builds the judged tree in the workspace's own store. */
export async function composeJudged(
  workspace: Workspace,
  base: TreeId,
  found: TreeId,
  plan: JudgedPlan,
  omitAlways: readonly string[],
): Promise<Result<Judged>> {
  const replace: { readonly path: string; readonly bytes: Uint8Array }[] = [];
  const touched = [...plan.restore, ...plan.omit];
  for (const path of plan.manifests) {
    const before = await workspace.read(base, path);
    if (!before.ok) return before;
    const after = await workspace.read(found, path);
    if (!after.ok) return after;
    const split = splitManifest(path, text(before.value), text(after.value));
    if (!split.ok) return ok({ kind: "unusable", why: split.why, touched: [...touched, path].sort() });
    if (!split.changed) continue;
    touched.push(path);
    replace.push({ path, bytes: new TextEncoder().encode(split.text) });
  }
  const edit = (omit: readonly string[]): TreeEdit => ({
    restore: { from: base, paths: plan.restore },
    omit: [...omit, ...omitAlways],
    replace,
  });
  const tree = await workspace.compose(found, edit(plan.omit));
  if (!tree.ok) return tree;
  touched.sort();
  if (plan.addedTests.length === 0) return ok({ kind: "composed", tree: tree.value, touched });
  const tests = new Set(plan.addedTests);
  const wider = await workspace.compose(found, edit(plan.omit.filter((path) => !tests.has(path))));
  if (!wider.ok) return wider;
  return ok({ kind: "composed", tree: tree.value, withAddedTests: wider.value, touched });
}

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Reports that checks write into the checkout: one that the tree holds already is never the run's own. */
export function reportPaths(jobs: readonly CheckJob[], inTree: ReadonlySet<string>): readonly string[] {
  const named = jobs.flatMap(({ check: { detector } }) =>
    detector.type === "test_report" ? [detector.path] : [],
  );
  return [...new Set(named.map((path) => path.replace(/^(\.\/)+/, "")))].filter((path) => inTree.has(path));
}
