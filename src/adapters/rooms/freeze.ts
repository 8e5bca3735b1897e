import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ok, type Result } from "../../core/result.ts";
import type { CheckRooms, FrozenEnvironment } from "../../ports/check-rooms.ts";
import { lstatOrAbsent } from "./anchored.ts";
import { boundReason } from "./bound-paths.ts";
import { dependencyFoldersAmong } from "./dependency-folders.ts";
import { type DependencyFiles, detectManagers, inFolder } from "./detect.ts";
import { envFilesAmong, freezeEnvFiles } from "./env-files.ts";
import type { FolderStore } from "./frozen-folders.ts";
import { freezeHistory } from "./history.ts";
import { ecosystemOf } from "./managers.ts";
import { configuredSteps, planSetup } from "./setup-plan.ts";
import { readDependencyFiles } from "./tree-files.ts";

type FreezeRequest = Parameters<CheckRooms["freeze"]>[0];
type FrozenFolder = FrozenEnvironment["snapshots"][number];

export async function freezeEnvironment(
  request: FreezeRequest,
  folders: FolderStore,
  salt: string,
): Promise<Result<FrozenEnvironment>> {
  const { workspace, base, scratch } = request;
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const ignored = await workspace.ignored();
  if (!ignored.ok) return ignored;
  const snapshots: FrozenFolder[] = [];
  for (const path of dependencyFoldersAmong(ignored.value)) {
    const frozen = await freezeFolder(workspace.root, path, folders);
    if (!frozen.ok) return frozen;
    if (frozen.value !== undefined) snapshots.push(frozen.value);
  }
  const envFiles = request.envFiles ?? envFilesAmong(ignored.value);
  const envSeal = await freezeEnvFiles(workspace.root, envFiles, scratch, salt);
  if (!envSeal.ok) return envSeal;
  const history = await freezeHistory(workspace, scratch);
  if (!history.ok) return history;
  const files = await readDependencyFiles(workspace, base);
  if (!files.ok) return files;
  const setup = request.setup
    ? configuredSteps(request.setup)
    : planSetup(files.value, files.value, { kind: "none" }).steps.map(({ manager, cwd, argv }) => ({
        manager,
        cwd,
        argv,
      }));
  const notInstalled = await missingInstalls(workspace.root, files.value);
  return ok({
    base,
    snapshots,
    envFiles,
    envSeal: envSeal.value,
    ...(history.value === undefined ? {} : { history: history.value }),
    setup,
    notInstalled,
  });
}

/** Told for JavaScript only: Python's packages may as well be in an environment outside the folder. */
async function missingInstalls(root: string, files: DependencyFiles): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { manager, cwd, lock } of detectManagers(files)) {
    if (ecosystemOf(manager.name) !== "javascript" || files.paths.includes(inFolder(cwd, ".pnp.cjs")))
      continue;
    if ((await lstatOrAbsent(join(root, cwd, "node_modules"))) === undefined) missing.push(lock);
  }
  return missing;
}

async function freezeFolder(
  root: string,
  path: string,
  folders: FolderStore,
): Promise<Result<FrozenFolder | undefined>> {
  const folder = join(root, path);
  const stat = await lstatOrAbsent(folder);
  if (stat?.isSymbolicLink()) return ok({ path, manifest: "", boundBy: `${path} is a link` });
  if (!stat?.isDirectory()) return ok(undefined);
  const survey = await folders.survey(folder);
  const boundBy = await boundReason(root, path, survey.manifest);
  if (boundBy !== undefined) return ok({ path, manifest: survey.digest, boundBy });
  const kept = await folders.keep(folder, survey);
  return kept.ok ? ok({ path, manifest: survey.digest }) : kept;
}
