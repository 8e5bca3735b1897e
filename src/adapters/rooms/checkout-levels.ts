import { sha256 } from "../../core/hash.ts";
import { fail, type Result } from "../../core/result.ts";
import type { Room, RoomRequest } from "../../ports/check-rooms.ts";
import { furnishCheckout } from "./checkout-room.ts";
import { commandFolders, dependencyChangeOf, installFor } from "./dependencies.ts";
import { detectManagers, missingLock } from "./detect.ts";
import type { FolderStore } from "./frozen-folders.ts";
import type { Products } from "./products.ts";
import type { Toolbox, VersionOf } from "./tools.ts";

/** What rooms in checkouts are made with. */
export interface Workshop {
  readonly folders: FolderStore;
  readonly products: Products;
  readonly versionOf: VersionOf;
}

/** A checkout with dependencies that are installed from the lock files. */
export async function openClean(
  request: RoomRequest,
  tools: Toolbox,
  workshop: Workshop,
): Promise<Result<Room>> {
  if (request.workspace.kind === "folder") {
    return fail("level-unavailable", "a folder without git has no clean level; snapshot is the strongest");
  }
  const found = await dependencyChangeOf(request, tools);
  if (!found.ok) return found;
  const { change, pair } = found.value;
  const installed = await installFor(request, pair, change, workshop.products, tools, workshop.versionOf);
  if (!installed.ok) return installed;
  const { product, plan, setupHash } = installed.value;
  const furnishing = {
    folders: product.folders,
    stores: product.stores,
    commandFolders: commandFolders(plan),
    setupHash,
    dependencyChange: change,
  };
  return furnishCheckout(request, furnishing, workshop.folders, tools);
}

/** A checkout with the dependency folders that were copied at session start. */
export async function openSnapshot(
  request: RoomRequest,
  tools: Toolbox,
  { folders }: Workshop,
): Promise<Result<Room>> {
  const { snapshots, setup } = request.environment;
  const bound = snapshots.flatMap((folder) => (folder.boundBy === undefined ? [] : [folder.boundBy]));
  if (bound.length > 0) {
    return fail("level-unavailable", `dependencies cannot be used as a copy: ${bound.join("; ")}`);
  }
  const found = await dependencyChangeOf(request, tools);
  if (!found.ok) return found;
  const { change, pair } = found.value;
  const needsFolders = detectManagers(pair.base).some((one) => one.manager.fillsCheckout);
  if (snapshots.length === 0 && (needsFolders || missingLock(pair.base) !== undefined)) {
    return fail("level-unavailable", "no dependencies were installed in the working folder at the start");
  }
  const furnishing = {
    folders: snapshots.map(({ path, manifest }) => ({ path, digest: manifest })),
    stores: [],
    commandFolders: [],
    setupHash: sha256(JSON.stringify([snapshots, setup])),
    dependencyChange: change,
  };
  return furnishCheckout(request, furnishing, folders, tools);
}
