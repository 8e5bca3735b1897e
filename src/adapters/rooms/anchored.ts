import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { join } from "node:path";

/** The parent folder of a path, held so that a link put in its place afterwards diverts nothing. */
export type Parent =
  | {
      readonly state: "open";
      /** A path of the held folder; names are appended to it. */
      readonly dir: string;
      readonly name: string;
      /** Folders that `create` had to make, outermost first, relative to the root. */
      readonly made: readonly string[];
      readonly close: () => Promise<void>;
    }
  | { readonly state: "absent" }
  /** A link or a file stands where a folder of the path should be; `at` is relative to the root. */
  | { readonly state: "blocked"; readonly at: string };

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Linux resolves `/proc/self/fd/N/name` from the held folder: what `openat` does, which Node lacks. */
const HAS_PROC_FD = process.platform === "linux";

/**
 * Opens the folder that holds `path` (relative to `root`, `/`-separated) one component at a time, never
 * following a link below the root. The caller closes it.
 */
export async function openParent(root: string, path: string, create: boolean): Promise<Parent> {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  if (name === "" || [name, ...parts].some((part) => part === "." || part === "..")) {
    return { state: "blocked", at: path };
  }
  return HAS_PROC_FD ? heldParent(root, parts, name, create) : checkedParent(root, parts, name, create);
}

async function heldParent(
  root: string,
  parts: readonly string[],
  name: string,
  create: boolean,
): Promise<Parent> {
  let handle = await open(await realpath(root), FOLDER);
  const made: string[] = [];
  for (const [index, part] of parts.entries()) {
    const child = `/proc/self/fd/${handle.fd}/${part}`;
    const at = parts.slice(0, index + 1).join("/");
    const step = await openFolder(child, create);
    await handle.close();
    if (step === "absent") return { state: "absent" };
    if (step === "blocked") return { state: "blocked", at };
    if (step.made) made.push(at);
    handle = step.handle;
  }
  return { state: "open", dir: `/proc/self/fd/${handle.fd}`, name, made, close: () => handle.close() };
}

type Step = "absent" | "blocked" | { readonly handle: FileHandle; readonly made: boolean };

async function openFolder(child: string, create: boolean): Promise<Step> {
  try {
    return { handle: await open(child, FOLDER), made: false };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ELOOP" || code === "ENOTDIR") return "blocked";
    if (code !== "ENOENT") throw error;
  }
  if (!create) return "absent";
  await mkdir(child);
  return { handle: await open(child, FOLDER), made: true };
}

async function checkedParent(
  root: string,
  parts: readonly string[],
  name: string,
  create: boolean,
): Promise<Parent> {
  let dir = await realpath(root);
  const made: string[] = [];
  for (const [index, part] of parts.entries()) {
    dir = join(dir, part);
    const at = parts.slice(0, index + 1).join("/");
    const stat = await lstatOrAbsent(dir);
    if (stat === undefined) {
      if (!create) return { state: "absent" };
      await mkdir(dir);
      made.push(at);
    } else if (!stat.isDirectory()) {
      return { state: "blocked", at };
    }
  }
  return { state: "open", dir, name, made, close: async () => {} };
}

/** `lstat`, or undefined when nothing is there. */
export async function lstatOrAbsent(path: string): Promise<Awaited<ReturnType<typeof lstat>> | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
