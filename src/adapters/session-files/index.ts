import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { mkdir, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canonicalJson } from "../../core/canonical-json.ts";
import { sha256 } from "../../core/hash.ts";
import { fail, ok } from "../../core/result.ts";
import { FROZEN } from "../../ports/check-rooms.ts";
import type { SessionFiles } from "../../ports/session-files.ts";

const SEAL = "seal.json";

/** Session folders under `home` (LOOPWRIGHT_HOME). */
export function createSessionFiles(home: string): SessionFiles {
  const sessionDir = (session: string): string => join(home, "sessions", session);
  return {
    home,
    attemptDir: (session, attempt) => join(sessionDir(session), "attempts", attempt),
    scratchDir: (session) => join(sessionDir(session), "scratch"),
    workspaceStore: (realPath) => join(home, "workspaces", sha256(realPath).slice(0, 24)),
    worktreeDir: (session, name) => join(home, "worktrees", session, name.replaceAll(/[^A-Za-z0-9_-]/g, "_")),
    chunks,
    names,
    async seal(dir) {
      try {
        const inventory = [];
        for (const name of (await readdir(dir)).sort()) {
          const path = join(dir, name);
          const info = await stat(path);
          if (info.isFile() && name !== SEAL)
            inventory.push({ path: name, size: info.size, sha256: await hashFile(path) });
        }
        const text = canonicalJson(inventory);
        await writeFile(join(dir, SEAL), text);
        return ok(sha256(text));
      } catch (error) {
        return fail("bad-input", `cannot seal ${dir}: ${String(error)}`);
      }
    },
    async writePrograms(folder, programs, log) {
      try {
        await mkdir(dirname(log), { recursive: true, mode: 0o700 });
        await writeFile(log, "", { mode: 0o600 });
        await mkdir(folder, { recursive: true });
        for (const [name, text] of Object.entries(programs))
          await writeFile(join(folder, name), text, { mode: 0o755 });
        return ok(undefined);
      } catch (error) {
        return fail("spawn-failed", `cannot write to ${folder}: ${String(error)}`);
      }
    },
    async writeEvidence(topLevel, path, text) {
      try {
        const root = join(topLevel, ".loopwright", "sessions");
        await writeInside(root, ".gitignore", "*\n");
        await writeInside(root, path, text);
        return ok(undefined);
      } catch (error) {
        return fail("bad-input", `cannot write evidence ${path}: ${String(error)}`);
      }
    },
    async removeScratch(session) {
      const scratch = join(sessionDir(session), "scratch");
      for (const name of await names(scratch)) {
        if (name !== FROZEN) await rm(join(scratch, name), { recursive: true, force: true });
      }
    },
    async discard(session) {
      await rm(sessionDir(session), { recursive: true, force: true });
    },
  };
}

/** Never through a link: an agent may have laid one where our folder should be. */
async function writeInside(root: string, path: string, text: string): Promise<void> {
  const folder = dirname(join(root, path));
  await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) !== folder) throw new Error(`${folder} leads elsewhere`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  await writeFile(join(root, path), text, { flag: flags });
}

async function names(dir: string): Promise<readonly string[]> {
  try {
    return (await readdir(dir)).sort();
  } catch {
    return [];
  }
}

async function* chunks(path: string): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
