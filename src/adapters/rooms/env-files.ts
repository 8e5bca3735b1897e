import { constants } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "../../core/canonical-json.ts";
import { sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { FROZEN } from "../../ports/check-rooms.ts";
import { isAbsent, openParent } from "./anchored.ts";
import { removeIfThere, writeSynced } from "./exchange.ts";

/** Where the frozen copies lie in a session's scratch folder, readable by the user alone. */
const ENV_FILES = `${FROZEN}/env-files`;

/** Ignored files that hold a project's environment: `.env`, `.env.test`, `apps/web/.env.local`. */
export function envFilesAmong(ignored: readonly string[]): readonly string[] {
  return ignored.filter((path) => /(^|\/)\.env(\.[^/]+)?$/.test(path)).toSorted();
}

/**
 * Copies env files with mode 600. Returns a salted hash over names and content, which proves the copies later without
 * telling anything about what is in them. Problem: `no-such-file`.
 */
export async function freezeEnvFiles(
  root: string,
  paths: readonly string[],
  scratch: string,
  salt: string,
): Promise<Result<string>> {
  const dir = join(scratch, ENV_FILES);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const copies = new Map<string, Buffer>();
  for (const path of paths) {
    const bytes = await readNoFollow(root, path);
    if (bytes === undefined) return fail("no-such-file", `env file not found in the working folder: ${path}`);
    copies.set(path, bytes);
    await writeSynced(copyPath(dir, path), bytes, 0o600);
  }
  return ok(seal(copies, salt));
}

/** Puts the frozen copies into a checkout. Problem: `tree-tampered` when they are not what was frozen. */
export async function placeEnvFiles(
  scratch: string,
  paths: readonly string[],
  expected: string | undefined,
  checkout: string,
): Promise<Result<void>> {
  const copies = new Map<string, Buffer>();
  for (const path of paths) {
    const bytes = await readNoFollow(scratch, copyPath(ENV_FILES, path));
    if (bytes !== undefined) copies.set(path, bytes);
  }
  const salt = expected?.split(":")[0] ?? "";
  if (paths.length > 0 && seal(copies, salt) !== expected) {
    return fail("tree-tampered", "the frozen env files were changed after the session started");
  }
  for (const [path, bytes] of copies) {
    const parent = await openParent(checkout, path, true);
    if (parent.state !== "open") return fail("tree-tampered", `${path} cannot be put into the checkout`);
    try {
      const target = `${parent.dir}/${parent.name}`;
      await removeIfThere(target);
      await writeSynced(target, bytes, 0o600);
    } finally {
      await parent.close();
    }
  }
  return ok(undefined);
}

/** The env files of a checkout that no longer hold what was frozen. */
export async function alteredEnvFiles(
  paths: readonly string[],
  checkout: string,
  scratch: string,
): Promise<readonly string[]> {
  const altered: string[] = [];
  for (const path of paths) {
    const now = await readNoFollow(checkout, path);
    const kept = await readNoFollow(scratch, copyPath(ENV_FILES, path));
    if (now === undefined || kept === undefined || !now.equals(kept)) altered.push(path);
  }
  return altered;
}

function seal(copies: ReadonlyMap<string, Buffer>, salt: string): string {
  const rows = [...copies].map(([path, bytes]) => [path, sha256(bytes)]);
  return `${salt}:${sha256(salt + canonicalJson(rows))}`;
}

function copyPath(dir: string, path: string): string {
  return join(dir, sha256(path));
}

async function readNoFollow(root: string, path: string): Promise<Buffer | undefined> {
  const parent = await openParent(root, path, false);
  if (parent.state !== "open") return undefined;
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(`${parent.dir}/${parent.name}`, flags);
    try {
      return (await handle.stat()).isFile() ? await handle.readFile() : undefined;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  } finally {
    await parent.close();
  }
}
