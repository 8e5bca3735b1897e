import { readFileSync, statSync } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import type { UserFiles } from "../../ports/user-files.ts";

/** The user's files, with relative paths taken from `cwd`. */
export function createUserFiles(cwd: string): UserFiles {
  const at = (path: string): string => resolve(cwd, path);
  return {
    async kind(path) {
      const found = await stat(at(path)).catch(() => undefined);
      return found?.isFile() === true ? "file" : found?.isDirectory() === true ? "folder" : "none";
    },
    async list(folder, ending) {
      const entries = await readdir(at(folder), { withFileTypes: true }).catch(() => []);
      const files = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith(ending));
      return files.map((entry) => join(folder, entry.name)).sort();
    },
    below: (folder, most) => filesBelow(at(folder), most),
    async read(path, maxBytes) {
      try {
        return await readWhole(at(path), path, maxBytes);
      } catch (error) {
        return fail("no-such-file", `cannot read ${path}: ${reasonOf(error)}`);
      }
    },
    changedAt: (path, skip) => newestChange(at(path), new Set(skip), 0),
    async write(path, text) {
      return writeWhole(at(path), text);
    },
  };
}

async function filesBelow(folder: string, most: number): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [""];
  for (let at = waiting.shift(); at !== undefined && found.length < most; at = waiting.shift()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) found.push(path);
    }
  }
  return found.sort().slice(0, most);
}

const MAX_DEPTH = 24;

async function newestChange(path: string, skip: ReadonlySet<string>, depth: number): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.isSymbolicLink()) return 0;
  let newest = Math.floor(found.mtimeMs);
  if (!found.isDirectory() || depth >= MAX_DEPTH) return newest;
  for (const name of await readdir(path).catch(() => [])) {
    if (!skip.has(name)) newest = Math.max(newest, await newestChange(join(path, name), skip, depth + 1));
  }
  return newest;
}

/** Below it, four turns of the thread pool cost more than the reading. */
const READ_AT_ONCE_BYTES = 256 * 1024;

async function readWhole(file: string, path: string, maxBytes: number): Promise<Result<Uint8Array>> {
  const found = statSync(file);
  if (found.isFile() && found.size <= Math.min(READ_AT_ONCE_BYTES, maxBytes)) return ok(readFileSync(file));
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) return fail("bad-input", `${path} has ${size} bytes, expected at most ${maxBytes}`);
    return ok(await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** A file beside it that is synced and renamed: a reader sees the old text or the new one. */
async function writeWhole(path: string, text: string): Promise<Result<void>> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${process.pid}.tmp`);
  try {
    await mkdir(dirname(path), { recursive: true });
    const handle = await open(temporary, "w");
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    return ok(undefined);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    return fail("bad-input", `cannot write ${path}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
