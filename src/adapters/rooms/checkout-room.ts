import { mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { byCodePoint } from "../../core/canonical-json.ts";
import { ok, type Result } from "../../core/result.ts";
import type { DependencyChange, Room, RoomRequest } from "../../ports/check-rooms.ts";
import { isRunnerCache } from "./dependency-folders.ts";
import { alteredEnvFiles, placeEnvFiles } from "./env-files.ts";
import type { FolderStore } from "./frozen-folders.ts";
import { placeHistory, renewHistory } from "./history.ts";
import { manifestDifference } from "./manifest.ts";
import { storeEnv } from "./products.ts";
import { removeTree } from "./remove-tree.ts";
import { type Scan, scanFolder } from "./scan.ts";
import { pathInto, type Toolbox } from "./tools.ts";

/** What goes into a checkout besides the judged tree. */
export interface Furnishing {
  readonly folders: readonly { readonly path: string; readonly digest: string }[];
  readonly stores: readonly { readonly name: string; readonly variable: string; readonly digest: string }[];
  /** Folders of the checkout that come first on the PATH. */
  readonly commandFolders: readonly string[];
  readonly setupHash: string;
  readonly dependencyChange: DependencyChange;
}

/** One folder of dependencies in the room, and what it held when the room was made. */
interface Placed {
  readonly dir: string;
  /** How the folder is named in reports, relative to the checkout. */
  readonly label: string;
  readonly scan: Scan;
}

/** Makes a folder with exactly the judged tree, dependencies and env files, all proved by their hashes. */
export async function furnishCheckout(
  request: RoomRequest,
  furnishing: Furnishing,
  folders: FolderStore,
  tools: Toolbox,
): Promise<Result<Room>> {
  const name = `${request.level}-${request.instance}-${tools.nonce()}`;
  const lot = join(request.scratch, "rooms", name);
  // Some tests print or depend on the name of the folder they run in.
  const dir = join(lot, basename(request.workspace.root) || "checkout");
  const made = await furnish(request, furnishing, folders, lot, dir);
  if (!made.ok) {
    await removeTree(lot);
    return made;
  }
  return ok({
    level: request.level,
    dir,
    env: roomEnv(request, furnishing, tools, lot, dir),
    setupHash: furnishing.setupHash,
    dependencyChange: furnishing.dependencyChange,
    altered: async () => {
      const renewed = await renewHistory(lot, dir);
      if (!renewed.ok) return renewed;
      return alteredIn(request, dir, made.value, join(lot, "clock"));
    },
    dispose: async () => {
      const removed = await removeTree(lot);
      return removed.ok ? ok([]) : removed;
    },
  });
}

async function furnish(
  request: RoomRequest,
  furnishing: Furnishing,
  folders: FolderStore,
  lot: string,
  dir: string,
): Promise<Result<readonly Placed[]>> {
  for (const sub of ["home", "tmp", "clock", "stores"]) {
    await mkdir(join(lot, sub), { recursive: true, mode: 0o700 });
  }
  const written = await request.workspace.materialise(request.judged, dir);
  if (!written.ok) return written;
  const placed: Placed[] = [];
  for (const { path, digest } of furnishing.folders) {
    const scan = await folders.place(digest, dir, path);
    if (!scan.ok) return scan;
    placed.push({ dir: join(dir, path), label: path, scan: scan.value });
  }
  for (const { name, digest } of furnishing.stores) {
    const scan = await folders.place(digest, join(lot, "stores"), name);
    if (!scan.ok) return scan;
    placed.push({ dir: join(lot, "stores", name), label: `(${name} store)`, scan: scan.value });
  }
  const { envFiles, envSeal } = request.environment;
  const env = await placeEnvFiles(request.scratch, envFiles, envSeal, dir);
  if (!env.ok) return env;
  const repository = await placeHistory(request, lot, dir);
  return repository.ok ? ok(placed) : repository;
}

function roomEnv(
  request: RoomRequest,
  furnishing: Furnishing,
  tools: Toolbox,
  lot: string,
  dir: string,
): Readonly<Record<string, string>> {
  const first = furnishing.commandFolders.map((folder) => join(dir, folder));
  const venv = first[0] === undefined ? {} : { VIRTUAL_ENV: dirname(first[0]) };
  return {
    ...tools.toolEnv,
    ...storeEnv(furnishing.stores, join(lot, "stores")),
    ...venv,
    PATH: [...first, pathInto(tools.toolPath, request.workspace.root, dir)].join(":"),
    HOME: join(lot, "home"),
    TMPDIR: join(lot, "tmp"),
    // Bytecode beside a source could be planted by one check and run by the next.
    PYTHONDONTWRITEBYTECODE: "1",
  };
}

async function alteredIn(
  request: RoomRequest,
  dir: string,
  placed: readonly Placed[],
  clockDir: string,
): Promise<Result<readonly string[]>> {
  const changes = await request.workspace.verify(request.judged, dir, false);
  if (!changes.ok) return changes;
  const altered = changes.value.map((change) => change.path);
  for (const { dir: folder, label, scan } of placed) {
    const now = await scanFolder(folder, clockDir, scan.index).catch(() => undefined);
    if (now === undefined) {
      altered.push(label);
      continue;
    }
    for (const path of manifestDifference(scan.manifest, now.manifest)) {
      if (isRunnerCache(path)) await rm(join(folder, path), { recursive: true, force: true });
      else altered.push(`${label}/${path}`);
    }
  }
  altered.push(...(await alteredEnvFiles(request.environment.envFiles, dir, request.scratch)));
  return ok(altered.toSorted(byCodePoint));
}
