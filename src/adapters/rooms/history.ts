import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { FROZEN, type RoomRequest } from "../../ports/check-rooms.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { lstatOrAbsent } from "./anchored.ts";
import { diskFull, isDiskFull } from "./copy-folder.ts";
import { writeSynced } from "./exchange.ts";
import { removeTree } from "./remove-tree.ts";

const HISTORY = `${FROZEN}/history`;
/** Beside the checkout: its repository as no check has touched it. */
const UNTOUCHED = "git";

/** Keeps what checkouts need to be repositories like the user's at the session's start. Returns the hash of it. */
export async function freezeHistory(
  workspace: Workspace,
  scratch: string,
): Promise<Result<string | undefined>> {
  const history = await workspace.history();
  if (!history.ok || history.value === undefined) return history.ok ? ok(undefined) : history;
  await mkdir(join(scratch, FROZEN), { recursive: true, mode: 0o700 });
  await rm(join(scratch, HISTORY), { force: true });
  await writeSynced(join(scratch, HISTORY), Buffer.from(history.value), 0o600);
  return ok(sha256(history.value));
}

/**
 * Makes the checkout a repository; where the commit of the start is no longer there (rebased and pruned since), it stays
 * none. Problem: `tree-tampered` when the history is not what was frozen.
 */
export async function placeHistory(
  { workspace, scratch, environment }: RoomRequest,
  lot: string,
  checkout: string,
): Promise<Result<void>> {
  if (environment.history === undefined) return ok(undefined);
  const history = await readFile(join(scratch, HISTORY), "utf8").catch(() => "");
  if (sha256(history) !== environment.history)
    return fail("tree-tampered", "the history for checkouts was changed after the session started");
  return unlessFull(async () => {
    const repository = join(checkout, ".git");
    const added = await workspace.addHistory(checkout, history);
    if (!added.ok) return added.problem.code === "git-failed" ? removeTree(repository) : added;
    await cp(repository, join(lot, UNTOUCHED), { recursive: true });
    return added;
  });
}

/** Takes back what a check has done to the repository, so that the next one finds it as the first did. */
export async function renewHistory(lot: string, checkout: string): Promise<Result<void>> {
  if ((await lstatOrAbsent(join(lot, UNTOUCHED))) === undefined) return ok(undefined);
  const repository = join(checkout, ".git");
  return unlessFull(async () => {
    const removed = await removeTree(repository);
    if (removed.ok) await cp(join(lot, UNTOUCHED), repository, { recursive: true });
    return removed;
  });
}

async function unlessFull(write: () => Promise<Result<void>>): Promise<Result<void>> {
  try {
    return await write();
  } catch (error) {
    if (isDiskFull(error)) return diskFull("the checkout's repository");
    throw error;
  }
}
