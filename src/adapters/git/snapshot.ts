import { closeSync, constants, openSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result } from "../../core/result.ts";
import type { TreeId } from "../../ports/workspace.ts";
import { type CheckoutIndex, openCheckoutIndex } from "./checkout-index.ts";
import { writeTree } from "./git-trees.ts";
import { indexPaths } from "./index-paths.ts";
import { type ForcedCache, forcedPaths, type IndexAt, listDifferences, type Skipped } from "./listing.ts";
import type { ObjectStore } from "./object-store.ts";
import { ancestors, joinNul, parseTreeId } from "./paths.ts";
import type { RuleFiles } from "./rule-files.ts";
import { kindAt, realFolders, statAt } from "./walk.ts";

export interface Taken {
  readonly tree: TreeId;
  readonly skipped: readonly Skipped[];
}

/** Takes trees of one checkout, one at a time. */
export interface Camera {
  take(): Promise<Result<Taken>>;
  readonly index: CheckoutIndex;
}

export function openCamera(store: ObjectStore, dir: string, rules: RuleFiles): Camera {
  const index = openCheckoutIndex(store, dir);
  const cache: ForcedCache = new Map();
  let last: Promise<unknown> = Promise.resolve();
  return {
    index,
    take: () => {
      const next = last.then(() => take(store, { dir, index: index.file }, index, rules, cache));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

async function take(
  store: ObjectStore,
  at: IndexAt,
  index: CheckoutIndex,
  rules: RuleFiles,
  cache: ForcedCache,
): Promise<Result<Taken>> {
  store.ensure();
  let known = index.recall();
  if (known === undefined || known.rules !== rules.digest) {
    index.forget();
    known = undefined;
  }
  const forced = await forcedPaths(store, at.dir, rules, cache);
  const listed = await listDifferences(store, at, rules);
  if (!listed.ok) {
    index.forget();
    return listed;
  }
  const { others, changed, gone, skipped } = listed.value;
  const plan = planUpdate(at.dir, [...others, ...changed, ...forced, ...(known?.fresh ?? [])], gone);
  const before = known === undefined ? undefined : parseTreeId(known.tree);
  if (before !== undefined && plan.add.length === 0 && plan.drop.length === 0) {
    return ok({ tree: before, skipped });
  }
  const since = fileSystemSecond(store);
  const done = await update(store, at, plan, known?.fresh ?? []);
  const tree = done.ok ? await writeTree(store, at.index) : done;
  if (!tree.ok) {
    index.forget();
    return tree;
  }
  index.remember(
    rules.digest,
    tree.value,
    plan.add.filter((path) => isFresh(at.dir, path, since)),
  );
  return ok({ tree: tree.value, skipped: [...skipped, ...(done.ok ? done.value : [])] });
}

interface Plan {
  readonly add: readonly string[];
  /** Taken out of the index although something stands there: a folder, a device, or what a link leads to. */
  readonly drop: readonly string[];
}

function planUpdate(dir: string, paths: readonly string[], gone: readonly string[]): Plan {
  const add = new Set<string>();
  const drop = new Set<string>();
  const isReal = realFolders(dir);
  for (const path of new Set(paths)) {
    const kind = kindAt(join(dir, path));
    if ((kind === "file" || kind === "symlink") && ancestors(path).every(isReal)) add.add(path);
    else drop.add(path);
  }
  for (const path of gone) drop.add(path);
  return { add: [...add], drop: [...drop] };
}

/**
 * Brings the index up to date. Fresh files leave it first, so that they are hashed again whatever their stat data
 * says. Returns files that cannot be read: they are left out.
 */
async function update(
  store: ObjectStore,
  at: IndexAt,
  plan: Plan,
  fresh: readonly string[],
): Promise<Result<readonly Skipped[]>> {
  const out = [...new Set([...plan.drop, ...fresh])];
  if (out.length > 0) {
    const dropped = await remove(store, at, out);
    if (!dropped.ok) return dropped;
  }
  const first = await indexPaths(store, at, plan.add, "new");
  if (first.ok) return ok([]);
  const closed = new Set(plan.add.filter((path) => isClosed(join(at.dir, path))));
  const removed = closed.size > 0 ? await remove(store, at, [...closed]) : ok(undefined);
  if (!removed.ok) return removed;
  // Also the second try of a file that changed while it was read.
  const second = await indexPaths(
    store,
    at,
    plan.add.filter((path) => !closed.has(path)),
    "new",
  );
  return second.ok ? ok([...closed].map((path) => ({ path, why: "the file cannot be read" }))) : second;
}

async function remove(store: ObjectStore, at: IndexAt, paths: readonly string[]): Promise<Result<void>> {
  const done = await store.run(["update-index", "--force-remove", "-z", "--stdin"], {
    ...at,
    input: joinNul(paths),
  });
  return done.ok ? ok(undefined) : done;
}

/** True for a file that this process may not read. Asked by opening it: `access` answers for another user id. */
function isClosed(path: string): boolean {
  if (kindAt(path) !== "file") return false;
  try {
    closeSync(openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
    return false;
  } catch {
    return true;
  }
}

/** The present second of the clock that stamps files. */
function fileSystemSecond(store: ObjectStore): number {
  const probe = store.scratch("clock");
  writeFileSync(probe, "");
  const second = Math.floor(statSync(probe).ctimeMs / 1000);
  unlinkSync(probe);
  return second;
}

/**
 * Stat data is compared in whole seconds. A file whose inode changed before the second in which hashing began will
 * show any later change; one that changed within it may not, if its size and time are forged.
 */
function isFresh(dir: string, path: string, since: number): boolean {
  const stat = statAt(join(dir, path));
  return stat === undefined || Math.floor(stat.ctimeMs / 1000) >= since;
}
