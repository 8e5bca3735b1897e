import { sha256 } from "../../core/hash.ts";
import { assertNever, fail, ok, type Result } from "../../core/result.ts";
import type { CheckRooms, Room, RoomRequest } from "../../ports/check-rooms.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";
import type { ProcessRunner } from "../../ports/process.ts";
import { type Furnishing, furnishCheckout } from "./checkout-room.ts";
import { commandFolders, dependencyChangeOf, type Installed, installFor } from "./dependencies.ts";
import { detectManagers, missingLock } from "./detect.ts";
import type { StepListener } from "./exchange.ts";
import { freezeEnvironment } from "./freeze.ts";
import { createFolderStore } from "./frozen-folders.ts";
import { recoverInPlace } from "./in-place.ts";
import { openInPlace } from "./in-place-room.ts";
import { createProducts } from "./products.ts";
import { type Toolbox, toolHomes, versionsOf } from "./tools.ts";

export interface CheckRoomsOptions {
  readonly process: ProcessRunner;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Folders of commands as they were found at start, separated by `:`. */
  readonly toolPath: string;
  /** A folder of ours for dependency copies and installed packages, outside any checkout. */
  readonly cacheDir: string;
  /** What tools of this machine need besides the PATH: proxies, certificates, homes of toolchains. */
  readonly toolEnv?: Readonly<Record<string, string>>;
  /** Told before each change that an in-place check makes to the working folder. */
  readonly onStep?: StepListener;
}

/** Rooms on the local disk: a fresh checkout with installed or copied dependencies, or the working folder itself. */
export function createCheckRooms(options: CheckRoomsOptions): CheckRooms {
  const nonce = (): string => Buffer.from(options.entropy.bytes(8)).toString("hex");
  const onStep = options.onStep ?? (() => {});
  const folders = createFolderStore(options.cacheDir, nonce);
  const base = { process: options.process, toolPath: options.toolPath, nonce };
  const fixed: Toolbox = { ...base, toolEnv: {} };
  const version = versionsOf(fixed);
  /** Scratch folders whose in-place check is running: a journal there is no crash. */
  const occupied = new Set<string>();

  const toolbox = async (): Promise<Toolbox> => ({
    ...base,
    toolEnv: { ...(await toolHomes(options.process, options.toolPath)), ...options.toolEnv },
  });
  const products = createProducts(options.cacheDir, folders, fixed);

  const openClean = async (request: RoomRequest, tools: Toolbox): Promise<Result<Room>> => {
    if (request.workspace.kind === "folder") {
      return fail("level-unavailable", "a folder without git has no clean level; snapshot is the strongest");
    }
    const found = await dependencyChangeOf(request, tools);
    if (!found.ok) return found;
    const { change, pair } = found.value;
    const installed = await installFor(request, pair, change, products, tools, version);
    if (!installed.ok) return installed;
    return furnishCheckout(request, furnishingOf(installed.value, change), folders, tools);
  };

  const openSnapshot = async (request: RoomRequest, tools: Toolbox): Promise<Result<Room>> => {
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
    const furnishing: Furnishing = {
      folders: snapshots.map(({ path, manifest }) => ({ path, digest: manifest })),
      stores: [],
      commandFolders: [],
      setupHash: sha256(JSON.stringify([snapshots, setup])),
      dependencyChange: change,
    };
    return furnishCheckout(request, furnishing, folders, tools);
  };

  const open = async (request: RoomRequest): Promise<Result<Room>> => {
    const tools = await toolbox();
    switch (request.level) {
      case "clean":
        return openClean(request, tools);
      case "snapshot":
        return openSnapshot(request, tools);
      case "in-place": {
        const moment = { nowMs: options.clock.now(), nonce: nonce(), onStep };
        return openInPlace(request, moment, tools, occupied);
      }
      default:
        return assertNever(request.level);
    }
  };

  return {
    freeze: (request) => freezeEnvironment(request, folders, nonce()),
    open,
    recover: async (scratch, workspace) =>
      occupied.has(scratch) ? ok([]) : recoverInPlace(scratch, workspace, onStep),
  };
}

function furnishingOf(installed: Installed, change: Furnishing["dependencyChange"]): Furnishing {
  return {
    folders: installed.product.folders,
    stores: installed.product.stores,
    commandFolders: commandFolders(installed.plan),
    setupHash: installed.setupHash,
    dependencyChange: change,
  };
}
