import { rmdir } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import { instant } from "../../core/time.ts";
import type { RoomRequest } from "../../ports/check-rooms.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { lstatOrAbsent, openParent } from "./anchored.ts";
import { type Content, contentsOf, diskMark, markAt, markOf } from "./disk-state.ts";
import { exchange, type Move, removeIfThere, type StepListener, writeSynced } from "./exchange.ts";
import { type Journal, readJournal, removeJournal, type Swap, writeJournal } from "./journal.ts";

/** Where the journal of in-place checks lives inside a session's scratch folder. */
export function journalDir(scratch: string): string {
  return join(scratch, "in-place");
}

export interface Moment {
  readonly nowMs: number;
  /** Unique to this check: names its temporary files. */
  readonly nonce: string;
  readonly onStep: StepListener;
}

/**
 * Gives the working folder the content of `judged` where it differs from `found`, journalled first.
 * Problems: `work-conflict` when a path no longer holds what was found; nothing stays changed then.
 */
export async function restoreForCheck(request: RoomRequest, moment: Moment): Promise<Result<Journal>> {
  const { workspace, found, judged, workDir } = request;
  const changes = await workspace.diff(found, judged);
  if (!changes.ok) return changes;
  const paths = changes.value.map((change) => change.path);
  const before = await contentsOf(workspace, found, paths);
  if (!before.ok) return before;
  const during = await contentsOf(workspace, judged, paths);
  if (!during.ok) return during;
  const journal = await planSwaps(request, moment, before.value, during.value);
  if (!journal.ok) return journal;
  const dir = journalDir(request.scratch);
  await writeJournal(dir, journal.value);
  moment.onStep("journalled");
  const moves = journal.value.swaps.map((swap) => moveTo(swap, swap.before, during.value.get(swap.path)));
  const conflicts = await exchange(workDir, moves, moment.onStep);
  if (conflicts.length === 0) return journal;
  const back = await putBack(dir, journal.value, workspace, moment.onStep);
  if (!back.ok) return back;
  return changedMeanwhile(conflicts);
}

async function planSwaps(
  request: RoomRequest,
  moment: Moment,
  before: ReadonlyMap<string, Content>,
  during: ReadonlyMap<string, Content>,
): Promise<Result<Journal>> {
  const swaps: Swap[] = [];
  const moved: string[] = [];
  for (const [path, content] of before) {
    const mark = markOf(content);
    const target = during.get(path);
    const now = await diskMark(request.workDir, path);
    if (now !== mark && !(mark === "absent" && now === "other")) moved.push(path);
    const stat =
      now.startsWith("file:") || now.startsWith("exec:") ? await statOf(request.workDir, path) : {};
    const temporary = `.loopwright-${moment.nonce}-${swaps.length}`;
    swaps.push({ path, before: mark, during: target ? markOf(target) : "absent", temporary, ...stat });
  }
  if (moved.length > 0) return changedMeanwhile(moved);
  return ok({
    event: "restore:started",
    at: instant(moment.nowMs),
    workDir: request.workDir,
    found: request.found,
    swaps,
    madeFolders: await missingParents(request.workDir, swaps),
  });
}

function changedMeanwhile(paths: readonly string[]): Result<never> {
  return fail("work-conflict", `changed while the check was being prepared: ${paths.join(", ")}`, {
    hint: "run the gate again once nothing writes to the working folder",
  });
}

async function statOf(root: string, path: string): Promise<{ mode?: number; mtimeMs?: number }> {
  const stat = await lstatOrAbsent(join(root, path));
  return stat === undefined ? {} : { mode: Number(stat.mode) & 0o777, mtimeMs: Number(stat.mtimeMs) };
}

async function missingParents(root: string, swaps: readonly Swap[]): Promise<string[]> {
  const missing = new Set<string>();
  for (const { path, during } of swaps) {
    if (during === "absent") continue;
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join("/");
      const stat = await lstatOrAbsent(join(root, folder));
      if (stat === undefined || !stat.isDirectory()) missing.add(folder);
    }
  }
  return [...missing].sort();
}

function moveTo(swap: Swap, expect: string, put: Content | undefined): Move {
  return {
    path: swap.path,
    expect,
    put: put ?? { kind: "absent" },
    temporary: swap.temporary,
    ...(swap.mode === undefined ? {} : { mode: swap.mode }),
  };
}

/**
 * Puts back what the journal names, wherever the disk still holds our content, and removes the journal. What somebody
 * wrote meanwhile stays as it is: the path is returned, and what we would have put there stands beside it.
 */
export async function putBack(
  dir: string,
  journal: Journal,
  workspace: Workspace,
  onStep: StepListener,
): Promise<Result<readonly string[]>> {
  const { workDir, swaps } = journal;
  const contents = await contentsOf(
    workspace,
    journal.found,
    swaps.map((swap) => swap.path),
  );
  if (!contents.ok) return contents;
  await sweepTemporaries(workDir, swaps);
  const moves = swaps.map((swap) => ({
    ...moveTo(swap, swap.during, contents.value.get(swap.path)),
    ...(swap.mtimeMs === undefined ? {} : { mtimeMs: swap.mtimeMs }),
  }));
  const edited = await exchange(workDir, moves, onStep);
  for (const path of edited) await keepBeside(workDir, path, contents.value.get(path));
  await dropMadeFolders(workDir, journal.madeFolders);
  onStep("put back");
  await removeJournal(dir);
  return ok(edited);
}

async function sweepTemporaries(root: string, swaps: readonly Swap[]): Promise<void> {
  for (const swap of swaps) {
    const parent = await openParent(root, swap.path, false);
    if (parent.state !== "open") continue;
    await removeIfThere(`${parent.dir}/${swap.temporary}`);
    await parent.close();
  }
}

/** Ends in no test or source extension, so that no runner collects it. */
function besideName(name: string): string {
  return `${name}.before-check`;
}

async function keepBeside(root: string, path: string, content: Content | undefined): Promise<void> {
  if (content?.kind !== "file") return;
  const parent = await openParent(root, path, false);
  if (parent.state !== "open") return;
  try {
    const beside = `${parent.dir}/${besideName(parent.name)}`;
    if ((await markAt(beside)) === "absent") {
      await writeSynced(beside, content.bytes, content.executable ? 0o755 : 0o644);
    }
  } finally {
    await parent.close();
  }
}

async function dropMadeFolders(root: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    const parent = await openParent(root, folder, false);
    if (parent.state !== "open") continue;
    await rmdir(`${parent.dir}/${parent.name}`).catch(() => undefined);
    await parent.close();
  }
}

/** Finishes what a crash left half done. Returns the paths that somebody edited meanwhile. */
export async function recoverInPlace(
  scratch: string,
  workspace: Workspace,
  onStep: StepListener,
): Promise<Result<readonly string[]>> {
  const dir = journalDir(scratch);
  const journal = await readJournal(dir);
  if (!journal.ok) return journal;
  if (journal.value === undefined) return ok([]);
  return putBack(dir, journal.value, workspace, onStep);
}

/** The paths whose content is not what the check was given. */
export async function alteredSwaps(journal: Journal): Promise<readonly string[]> {
  const altered: string[] = [];
  for (const swap of journal.swaps) {
    const now = await diskMark(journal.workDir, swap.path);
    if (now !== swap.during && !(swap.during === "absent" && now === "other")) altered.push(swap.path);
  }
  return altered;
}
