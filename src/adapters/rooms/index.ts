import { assertNever, ok } from "../../core/result.ts";
import type { CheckRooms } from "../../ports/check-rooms.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";
import type { ProcessRunner } from "../../ports/process.ts";
import { openClean, openSnapshot, type Workshop } from "./checkout-levels.ts";
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
  const plain: Toolbox = { process: options.process, toolPath: options.toolPath, nonce, toolEnv: {} };
  const workshop: Workshop = {
    folders,
    products: createProducts(options.cacheDir, folders, plain),
    versionOf: versionsOf(plain),
  };
  /** Scratch folders whose in-place check is running: a journal there is no crash. */
  const occupied = new Set<string>();

  const open: CheckRooms["open"] = async (request) => {
    const toolEnv = { ...(await toolHomes(options.process, options.toolPath)), ...options.toolEnv };
    const tools: Toolbox = { ...plain, toolEnv };
    switch (request.level) {
      case "clean":
        return openClean(request, tools, workshop);
      case "snapshot":
        return openSnapshot(request, tools, workshop);
      case "in-place":
        return openInPlace(request, { nowMs: options.clock.now(), nonce: nonce(), onStep }, tools, occupied);
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
