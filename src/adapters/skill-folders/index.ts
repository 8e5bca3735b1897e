import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { sha256, sha256Of } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { SkillContent, SkillFolders } from "../../ports/skill-folders.ts";
import { fetchSkill } from "./fetch.ts";

const MOST_FILES = 200;
const MOST_BYTES = 8 * 1024 * 1024;
const SKIPPED = new Set([".git", "node_modules"]);

/** Folders on this machine, with relative paths taken from `cwd`. */
export function createSkillFolders(
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
): SkillFolders {
  return {
    read: (folder) => readSkill(resolve(cwd, folder)),
    write: (folder, content) => writeSkill(resolve(cwd, folder), content),
    async remove(folder) {
      await rm(resolve(cwd, folder), { recursive: true, force: true });
      return ok(undefined);
    },
    fetch: (source) => fetchSkill(source, environment, readSkill),
  };
}

async function readSkill(folder: string): Promise<Result<SkillContent | undefined>> {
  const found = await stat(join(folder, "SKILL.md")).catch(() => undefined);
  if (found === undefined) return ok(undefined);
  const files = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const waiting = [""]; waiting.length > 0; ) {
    const at = waiting.shift() ?? "";
    for (const entry of await readdir(join(folder, at), { withFileTypes: true })) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory()) waiting.push(path);
      else if (!entry.isFile()) return fail("bad-input", `${path} of ${folder} is no plain file`);
      else {
        const content = await readFile(join(folder, path));
        bytes += content.length;
        files.set(path, content);
      }
      if (files.size > MOST_FILES || bytes > MOST_BYTES)
        return fail("bad-input", `${folder} is too large for a skill`);
    }
  }
  return ok({ files, digest: digestOf(files) });
}

function digestOf(files: ReadonlyMap<string, Uint8Array>): SkillContent["digest"] {
  const paths = [...files.keys()].sort();
  return sha256Of(paths.map((path) => `${path}\0${sha256(files.get(path) ?? new Uint8Array())}\n`));
}

async function writeSkill(folder: string, { files }: SkillContent): Promise<Result<void>> {
  const temporary = `${folder}.${process.pid}.tmp`;
  try {
    if ((await stat(folder).catch(() => undefined)) !== undefined)
      return fail("bad-input", `${folder} is there already`);
    for (const [path, content] of files) {
      await mkdir(dirname(join(temporary, path)), { recursive: true });
      await writeFile(join(temporary, path), content);
    }
    await rename(temporary, folder);
    return ok(undefined);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    return fail(
      "bad-input",
      `cannot write ${folder}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
