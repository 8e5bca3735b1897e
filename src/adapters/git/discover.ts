import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";

/** Where a checkout's repository keeps its files. `gitDir` differs from `commonDir` in a worktree. */
export interface Repository {
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/** The repository whose top level is `dir` itself. Reads files only; configuration and environment have no say. */
export function repositoryAt(dir: string): Repository | undefined {
  const gitDir = gitDirOf(join(dir, ".git"));
  if (gitDir === undefined || !existsSync(join(gitDir, "HEAD"))) return undefined;
  const common = textOf(join(gitDir, "commondir"))?.trim();
  const commonDir = common === undefined ? gitDir : resolve(gitDir, common);
  return existsSync(join(commonDir, "objects")) ? { top: dir, gitDir, commonDir } : undefined;
}

/** The repository that a folder belongs to: its own, else that of the nearest folder above. */
export function repositoryAbove(dir: string): Repository | undefined {
  for (let at = realpathSync(dir); ; at = dirname(at)) {
    const found = repositoryAt(at);
    if (found !== undefined) return found;
    if (dirname(at) === at) return undefined;
  }
}

function gitDirOf(dotGit: string): string | undefined {
  const stat = statSync(dotGit, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return dotGit;
  const pointer = /^gitdir: (.+?)\s*$/.exec(textOf(dotGit) ?? "")?.[1];
  return pointer === undefined ? undefined : resolve(dirname(dotGit), pointer);
}

export function realFolder(dir: string): Result<string> {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return ok(realpathSync(dir));
  return fail("no-such-folder", `there is no folder ${dir}`);
}

/** The text of a file, or undefined when there is none to read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The real path that a folder's sessions go by: the top of its repository, or the folder itself. */
export function topLevelOf(dir: string): Result<{ readonly path: string; readonly kind: "git" | "folder" }> {
  const real = realFolder(dir);
  if (!real.ok) return real;
  const top = repositoryAbove(real.value)?.top;
  return ok(top === undefined ? { path: real.value, kind: "folder" } : { path: top, kind: "git" });
}
