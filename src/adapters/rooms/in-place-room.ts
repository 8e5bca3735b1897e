import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../core/hash.ts";
import { InvariantError, ok, type Result } from "../../core/result.ts";
import type { Room, RoomRequest } from "../../ports/check-rooms.ts";
import { lstatOrAbsent } from "./anchored.ts";
import { dependencyChangeOf } from "./dependencies.ts";
import { dependencyFoldersAmong, isRunnerCache } from "./dependency-folders.ts";
import {
  alteredSwaps,
  journalDir,
  type Moment,
  putBack,
  recoverInPlace,
  restoreForCheck,
} from "./in-place.ts";
import type { Journal } from "./journal.ts";
import { changedSince, type Watch, watchFolder } from "./scan.ts";
import type { Toolbox } from "./tools.ts";

interface Watched {
  readonly dir: string;
  readonly path: string;
  readonly watch: Watch;
}

/** The working folder itself, with protected paths as the judged tree has them until the room is disposed of. */
export async function openInPlace(
  request: RoomRequest,
  moment: Moment,
  tools: Toolbox,
  occupied: Set<string>,
): Promise<Result<Room>> {
  if (occupied.has(request.scratch)) {
    throw new InvariantError("two checks at the same time in one working folder");
  }
  occupied.add(request.scratch);
  const room = await furnishInPlace(request, moment, tools, () => occupied.delete(request.scratch));
  if (!room.ok) occupied.delete(request.scratch);
  return room;
}

async function furnishInPlace(
  request: RoomRequest,
  moment: Moment,
  tools: Toolbox,
  release: () => void,
): Promise<Result<Room>> {
  const { scratch, workspace, workDir } = request;
  const home = join(scratch, "in-place", "home");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const left = await recoverInPlace(scratch, workspace, moment.onStep);
  if (!left.ok) return left;
  const found = await dependencyChangeOf(request, tools);
  if (!found.ok) return found;
  const watched = await watchDependencies(request);
  if (!watched.ok) return watched;
  const journal = await restoreForCheck(request, moment);
  if (!journal.ok) return journal;
  let isOpen = true;
  return ok({
    level: "in-place",
    dir: workDir,
    env: { ...tools.toolEnv, PATH: tools.toolPath, HOME: home, PYTHONDONTWRITEBYTECODE: "1" },
    setupHash: sha256(JSON.stringify(["in-place", ...watched.value.map((one) => one.path)])),
    dependencyChange: found.value.change,
    altered: () => altered(request, journal.value, watched.value),
    dispose: async () => {
      if (!isOpen) return ok([]);
      const edited = await putBack(journalDir(scratch), journal.value, workspace, moment.onStep);
      if (!edited.ok) return edited;
      isOpen = false;
      release();
      return edited;
    },
  });
}

async function watchDependencies({
  workspace,
  workDir,
  scratch,
}: RoomRequest): Promise<Result<readonly Watched[]>> {
  const ignored = await workspace.ignored(workDir);
  if (!ignored.ok) return ignored;
  const watched: Watched[] = [];
  for (const path of dependencyFoldersAmong(ignored.value)) {
    const dir = join(workDir, path);
    if (!(await lstatOrAbsent(dir))?.isDirectory()) continue;
    watched.push({ dir, path, watch: await watchFolder(dir, scratch) });
  }
  return ok(watched);
}

async function altered(
  request: RoomRequest,
  journal: Journal,
  watched: readonly Watched[],
): Promise<Result<readonly string[]>> {
  const changes = await request.workspace.verify(request.judged, request.workDir, false);
  if (!changes.ok) return changes;
  const paths = new Set(changes.value.map((change) => change.path));
  for (const path of await alteredSwaps(journal)) paths.add(path);
  for (const { dir, path, watch } of watched) {
    for (const changed of await changedSince(dir, watch)) {
      if (!isRunnerCache(changed)) paths.add(`${path}/${changed}`);
    }
  }
  return ok([...paths].sort());
}
