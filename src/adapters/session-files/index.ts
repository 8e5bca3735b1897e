import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canonicalJson } from "../../core/canonical-json.ts";
import { sha256 } from "../../core/hash.ts";
import { fail, ok } from "../../core/result.ts";
import { FROZEN } from "../../ports/check-rooms.ts";
import type { SessionFiles } from "../../ports/session-files.ts";

/** Session folders under `home` (LOOPWRIGHT_HOME). */
export function createSessionFiles(home: string): SessionFiles {
  const sessionDir = (session: string): string => join(home, "sessions", session);
  return {
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
          if (info.isFile()) inventory.push({ path: name, size: info.size, sha256: await hashFile(path) });
        }
        const text = canonicalJson(inventory);
        await writeFile(join(dir, "seal.json"), text);
        return ok(sha256(text));
      } catch (error) {
        return fail("bad-input", `cannot seal ${dir}: ${String(error)}`);
      }
    },
    async writeEvidence(topLevel, path, text) {
      try {
        const root = join(topLevel, ".loopwright", "sessions");
        const target = join(root, path);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(join(root, ".gitignore"), "*\n");
        await writeFile(target, text);
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
