import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../../core/result.ts";
import type { Integration, TreeId } from "../../ports/workspace.ts";
import { ancestors } from "./paths.ts";
import {
  type EntryChange,
  type EntryEdit,
  type Held,
  same,
  type TreeStore,
  toPathChange,
} from "./tree-store.ts";
import { type StepListener, updateFolder } from "./update-folder.ts";

/** Merges three files' contents; undefined when they conflict or are not text. */
export type MergeContents = (
  ours: Uint8Array,
  base: Uint8Array,
  theirs: Uint8Array,
) => Promise<Result<Uint8Array | undefined>>;

export interface MergeInto {
  readonly trees: TreeStore;
  readonly root: string;
  readonly ours: TreeId;
  readonly mergeContents: MergeContents;
  readonly onStep?: StepListener;
}

/** Merges the changes base → found into the root, where `ours` is. All of them or none. */
export async function integrateTree(
  into: MergeInto,
  base: TreeId,
  found: TreeId,
): Promise<Result<Integration>> {
  const { trees, ours, mergeContents } = into;
  const changes = await trees.changes(base, found);
  if (!changes.ok) return changes;
  const present = await trees.list(ours);
  if (!present.ok) return present;
  const here = new Map<string, Held>(
    present.value.map(({ path, mode, content }) => [path, { mode, content }]),
  );
  const merged = await mergeAll(trees, here, changes.value, mergeContents);
  if (!merged.ok) return merged;
  const conflicts = [...merged.value.conflicts, ...obstructed(here, merged.value.edits)];
  if (conflicts.length > 0) return ok({ kind: "conflict", paths: conflicts.sort(), kept: found });
  if (merged.value.edits.length === 0) return ok({ kind: "nothing" });
  const target = await trees.rewrite(ours, merged.value.edits);
  if (!target.ok) return target;
  return apply(into, target.value, found);
}

/** Writes the merged tree; if the user has changed one of its files meanwhile, puts everything back. */
async function apply(
  { trees, root, ours, onStep }: MergeInto,
  target: TreeId,
  found: TreeId,
): Promise<Result<Integration>> {
  const applied = await trees.changes(ours, target);
  if (!applied.ok) return applied;
  const left = await updateFolder(trees, root, ours, target, onStep);
  if (!left.ok) return left;
  if (left.value.length === 0) return ok({ kind: "applied", paths: applied.value.map(toPathChange) });
  const back = await updateFolder(trees, root, target, ours);
  return back.ok ? ok({ kind: "conflict", paths: left.value, kept: found }) : back;
}

interface Merged {
  readonly edits: readonly EntryEdit[];
  readonly conflicts: readonly string[];
}

async function mergeAll(
  trees: TreeStore,
  here: ReadonlyMap<string, Held>,
  changes: readonly EntryChange[],
  mergeContents: MergeContents,
): Promise<Result<Merged>> {
  const edits: EntryEdit[] = [];
  const conflicts: string[] = [];
  for (const change of changes) {
    const mine = here.get(change.path);
    if (same(mine, change.to)) continue;
    if (same(mine, change.from)) {
      edits.push(change.to === undefined ? { path: change.path } : { path: change.path, held: change.to });
      continue;
    }
    const held = await mergeBoth(trees, mine, change, mergeContents);
    if (!held.ok) return held;
    if (held.value === undefined) conflicts.push(change.path);
    else edits.push({ path: change.path, held: held.value });
  }
  return ok({
    edits: edits.sort((a, b) => Number(a.held !== undefined) - Number(b.held !== undefined)),
    conflicts,
  });
}

/** Both sides changed one file: its text and its mode are merged on their own. Undefined: a conflict. */
async function mergeBoth(
  trees: TreeStore,
  mine: Held | undefined,
  { from, to }: EntryChange,
  mergeContents: MergeContents,
): Promise<Result<Held | undefined>> {
  if (mine === undefined || from === undefined || to === undefined) return ok(undefined);
  if ([mine, from, to].some((held) => held.mode === "symlink")) return ok(undefined);
  const mode = mine.mode === from.mode ? to.mode : mine.mode;
  if (mine.content === to.content || to.content === from.content) return ok({ mode, content: mine.content });
  if (mine.content === from.content) return ok({ mode, content: to.content });
  const texts = new Map<string, Uint8Array>();
  const read = await trees.contents([mine.content, from.content, to.content], (id, bytes) => {
    texts.set(id, Uint8Array.from(bytes));
  });
  if (!read.ok) return read;
  const bytes = (held: Held): Uint8Array => texts.get(held.content) ?? new Uint8Array();
  const text = await mergeContents(bytes(mine), bytes(from), bytes(to));
  if (!text.ok || text.value === undefined) return text.ok ? ok(undefined) : text;
  const put = await trees.put([text.value]);
  return put.ok ? ok({ mode, content: put.value[0] ?? "" }) : put;
}

/** Paths of the result where one side has a file and the other a folder. */
function obstructed(here: ReadonlyMap<string, Held>, edits: readonly EntryEdit[]): string[] {
  const after = new Map(here);
  for (const { path, held } of edits) {
    if (held === undefined) after.delete(path);
    else after.set(path, held);
  }
  return [...after.keys()].filter((path) => ancestors(path).some((folder) => after.has(folder)));
}

/** Three-way merge by `git merge-file`, run by `run` with the three files as arguments. */
export function mergeByGit(
  folder: string,
  run: (args: readonly string[]) => Promise<Result<{ readonly exitCode: number; readonly stdout: Buffer }>>,
): MergeContents {
  return async (ours, base, theirs) => {
    if ([ours, base, theirs].some((bytes) => bytes.includes(0))) return ok(undefined);
    mkdirSync(folder, { recursive: true });
    const files = [ours, base, theirs].map((bytes, at) => {
      const file = join(folder, String(at));
      writeFileSync(file, bytes);
      return file;
    });
    const merged = await run(["merge-file", "-q", ...files]);
    const text = merged.ok && merged.value.exitCode === 0 ? readFileSync(files[0] ?? "") : undefined;
    rmSync(folder, { recursive: true, force: true });
    return merged.ok ? ok(text) : merged;
  };
}
