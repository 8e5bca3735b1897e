import { closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { statAt } from "./walk.ts";

/** A folder that was reached from its root without following a link; `at(name)` names a file in it. */
export interface SafeFolder {
  at(name: string): string;
  close(): void;
}

const HAS_PROC = existsSync("/proc/self/fd");
const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens the folder of a path step by step. Undefined when a link or a file stands in the way, or a folder is absent
 * and is not to be made. On Linux each step goes through the descriptor of the one before, so a folder that is
 * swapped for a link meanwhile is not followed; elsewhere each step is checked just before.
 */
export function openFolderOf(root: string, path: string, make: boolean): SafeFolder | undefined {
  const steps = path.split("/").slice(0, -1);
  return HAS_PROC ? byDescriptor(root, steps, make) : byCheck(root, steps, make);
}

function byDescriptor(root: string, steps: readonly string[], make: boolean): SafeFolder | undefined {
  let fd = openSync(root, OPEN_FOLDER);
  for (const step of steps) {
    const next = openStep(`/proc/self/fd/${fd}/${step}`, make);
    closeSync(fd);
    if (next === undefined) return undefined;
    fd = next;
  }
  return { at: (name) => `/proc/self/fd/${fd}/${name}`, close: () => closeSync(fd) };
}

function openStep(path: string, make: boolean): number | undefined {
  try {
    if (make && statAt(path) === undefined) mkdirSync(path);
    return openSync(path, OPEN_FOLDER);
  } catch {
    return undefined;
  }
}

function byCheck(root: string, steps: readonly string[], make: boolean): SafeFolder | undefined {
  let folder = root;
  for (const step of steps) {
    folder = join(folder, step);
    const stat = statAt(folder);
    if (stat === undefined && make) mkdirSync(folder);
    else if (stat === undefined || !stat.isDirectory()) return undefined;
  }
  return { at: (name) => join(folder, name), close: () => undefined };
}
