import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What a literal says about one path: text, bytes, a link, or an executable script. */
export type InlineFile = string | Uint8Array | { readonly link: string } | { readonly executable: string };
export type InlineFiles = Readonly<Record<string, InlineFile>>;

/** A temporary folder that a test fills and throws away. */
export interface InlineFolder {
  readonly dir: string;
  write(files: InlineFiles): void;
  remove(path: string): void;
  dispose(): void;
}

/** A temporary git repository. `git` runs with a fixed identity and none of the machine's configuration. */
export interface InlineRepo extends InlineFolder {
  git(...args: readonly string[]): string;
  /** Adds everything and commits it on `main`; returns the commit. */
  commit(message: string): string;
}

const ENVIRONMENT = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada Test",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada Test",
  GIT_COMMITTER_EMAIL: "ada@example.org",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

export function inlineFolder(files: InlineFiles = {}): InlineFolder {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-test-")));
  const write = (more: InlineFiles): void => {
    for (const [path, file] of Object.entries(more)) writeInline(join(dir, path), file);
  };
  write(files);
  return {
    dir,
    write,
    remove: (path) => rmSync(join(dir, path), { recursive: true, force: true }),
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A repository whose first commit holds `files`; with no files it has no commit yet. */
export function inlineRepo(files: InlineFiles = {}): InlineRepo {
  const folder = inlineFolder(files);
  const git = (...args: readonly string[]): string => gitIn(folder.dir, ...args);
  git("init", "-q", "-b", "main", "--template=");
  for (const name of ["info", "hooks"]) mkdirSync(join(folder.dir, ".git", name));
  const commit = (message: string): string => {
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", message);
    return readFileSync(join(folder.dir, ".git/refs/heads/main"), "utf8").trim();
  };
  if (Object.keys(files).length > 0) commit("Begin");
  return { ...folder, git, commit };
}

/** Makes a folder a repository with everything in it committed. */
export function commitAll(dir: string): void {
  gitIn(dir, "init", "-q");
  gitIn(dir, "add", ".");
  gitIn(dir, "commit", "-qm", "start");
}

/** Runs git in any folder the way `inlineRepo` does. */
export function gitIn(dir: string, ...args: readonly string[]): string {
  return execFileSync("git", args, {
    cwd: dir,
    env: ENVIRONMENT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function writeInline(path: string, file: InlineFile): void {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof file === "string" || file instanceof Uint8Array) {
    writeFileSync(path, file);
  } else if ("link" in file) {
    rmSync(path, { force: true });
    symlinkSync(file.link, path);
  } else {
    writeFileSync(path, file.executable);
    chmodSync(path, 0o755);
  }
}
