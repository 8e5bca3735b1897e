import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { TreeId, Worktree } from "../../ports/workspace.ts";
import { textOf } from "./discover.ts";
import { isRemade } from "./generated.ts";
import type { GitOutput } from "./git-process.ts";
import { ancestors } from "./paths.ts";
import type { TheirGit } from "./their-git.ts";
import type { TreeStore } from "./tree-store.ts";
import { everyFile } from "./walk.ts";

/** In git's record of a worktree of ours once its files are whole; holds their tree. */
const WHOLE = "loopwright-whole";

/**
 * A real worktree of the user's repository, on a detached HEAD, whose files are exactly those of `tree`. One that
 * stands there already is left as it is, unless a crash cut its making off: then it is made anew.
 */
export async function addWorktree(
  theirs: TheirGit,
  trees: TreeStore,
  path: string,
  tree: TreeId,
): Promise<Result<Worktree>> {
  const head = await theirs.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"], { answers: [1] });
  if (!head.ok) return head;
  if (head.value.exitCode !== 0) {
    return fail("no-commits", "a worktree needs a repository with at least one commit", {
      hint: "commit something first: git commit --allow-empty -m begin",
    });
  }
  mkdirSync(dirname(path), { recursive: true });
  const there = adminFolder(theirs, realPathOf(path));
  if (there !== undefined) {
    const whole = textOf(join(there, WHOLE));
    if (whole !== undefined && existsSync(path))
      return ok({ path: realpathSync(path), base: whole as TreeId });
    const gone = await dropWorktree(theirs, realPathOf(path));
    if (!gone.ok) return gone;
  }
  const commit = head.value.stdout.toString("latin1").trim();
  const added = await addToGit(theirs, path, commit);
  if (!added.ok) return added;
  const real = realpathSync(path);
  const filled = await fill(theirs, trees, real, tree);
  if (filled.ok) return ok({ path: real, base: tree });
  await dropWorktree(theirs, real);
  return filled;
}

const ADD_TRIES = 5;

/**
 * Tried again while nothing stands at the path: git gives up when it meets the record of another worktree that is just
 * being added ("failed to read commondir").
 */
async function addToGit(theirs: TheirGit, path: string, commit: string): Promise<Result<GitOutput>> {
  for (let tries = 1; ; tries += 1) {
    const added = await theirs.run(["worktree", "add", "--detach", "--no-checkout", path, commit]);
    if (added.ok || tries === ADD_TRIES || existsSync(path)) return added;
    await delay(20 * tries);
  }
}

async function fill(theirs: TheirGit, trees: TreeStore, path: string, tree: TreeId): Promise<Result<void>> {
  const written = await trees.writeFolder(tree, path);
  if (!written.ok) return written;
  const found = await trees.hashFolder(path, "all", "known");
  if (!found.ok) return found;
  if (found.value !== tree)
    return fail("tree-tampered", `the worktree ${path} does not hold what was written`);
  // Their own git fills in the stat data when it is first asked; asking here would run their filters.
  const gitDir = adminFolder(theirs, path);
  if (gitDir === undefined) return fail("git-failed", `git made no worktree at ${path}`);
  const read = await theirs.run(["--git-dir", gitDir, "read-tree", "HEAD"], { dir: path });
  if (!read.ok) return read;
  writeFileSync(join(gitDir, WHOLE), tree);
  return ok(undefined);
}

/** A path that need not exist, as git writes it down: real up to its last part. */
function realPathOf(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
}

/** Takes the folder and git's record of it away; never leaves half a folder under its name. */
export async function dropWorktree(theirs: TheirGit, path: string): Promise<Result<void>> {
  const admin = adminFolder(theirs, path);
  if (admin === undefined) return fail("bad-input", `${path} is no worktree of this repository`);
  const aside = asideOf(path);
  rmSync(aside, { recursive: true, force: true });
  if (existsSync(path)) renameSync(path, aside);
  theirs.onStep("worktree aside");
  rmSync(admin, { recursive: true, force: true });
  rmSync(aside, { recursive: true, force: true });
  return ok(undefined);
}

function asideOf(path: string): string {
  return `${path}.removed`;
}

/** What a crash may have left of a worktree whose folder is gone. */
export function finishRemoval(theirs: TheirGit, path: string): Result<void> {
  const real = realPathOf(path);
  const admin = adminFolder(theirs, real);
  if (admin !== undefined) rmSync(admin, { recursive: true, force: true });
  rmSync(asideOf(real), { recursive: true, force: true });
  return ok(undefined);
}

/** Git's record of a worktree, found from the repository's side: what the worktree's own `.git` says is not asked. */
export function adminFolder(theirs: TheirGit, path: string): string | undefined {
  const records = join(theirs.repository.commonDir, "worktrees");
  if (!existsSync(records)) return undefined;
  return readdirSync(records)
    .map((name) => join(records, name))
    .find((record) => textOf(join(record, "gitdir"))?.trim() === join(path, ".git"));
}

/** What a removed worktree held: its tree, and the ignored files outside folders that tools remake. */
export interface KeptWork {
  readonly path: string;
  readonly tree: TreeId;
  readonly ignored: TreeId;
}

/** Stores a worktree's ignored files as a tree of their own, so that removing it loses nothing that was made by hand. */
export async function keepIgnored(
  store: string,
  trees: TreeStore,
  path: string,
  tree: TreeId,
  ignored: readonly string[],
): Promise<Result<KeptWork>> {
  const files: string[] = [];
  for (const item of ignored) {
    if (ancestors(item).some(isRemade)) continue;
    if (!item.endsWith("/")) files.push(item);
    else files.push(...everyFile(path, item.slice(0, -1), (inner, isFolder) => isFolder && isRemade(inner)));
  }
  const kept = await trees.hashFolder(path, files, "new");
  if (!kept.ok) return kept;
  const work: KeptWork = { path, tree, ignored: kept.value };
  const folder = join(store, "kept");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${sha256(`${path}\0${tree}\0${kept.value}`).slice(0, 32)}.json`),
    JSON.stringify(work),
  );
  return ok(work);
}
