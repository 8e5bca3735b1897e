import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { createWorkspaceProvider } from "../../src/adapters/git/index.ts";
import { everyFile } from "../../src/adapters/git/walk.ts";
import { must } from "../../src/core/result.ts";
import type { TreeId, Workspace } from "../../src/ports/workspace.ts";
import {
  type InlineFiles,
  type InlineFolder,
  type InlineRepo,
  inlineFolder,
  inlineRepo,
} from "../../src/testing/inline-repo.ts";

export const KINDS = ["git", "folder"] as const;

export interface Bench<F extends InlineFolder = InlineFolder> {
  readonly files: F;
  readonly workspace: Workspace;
  readonly store: string;
  snapshot(): Promise<TreeId>;
  /** What a tree holds, as text by path; links as `-> target`, executables with a leading `+`. */
  holds(tree: TreeId): Promise<Record<string, string>>;
  /** Opens the same checkout again, as another process would. */
  reopen(rules?: string): Promise<Workspace>;
}

/** A home without git configuration. */
const HOME = mkdtempSync(join(tmpdir(), "loopwright-test-"));
afterAll(() => rmSync(HOME, { recursive: true }));

/** A folder that is gone after the test. */
export function tempFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "loopwright-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export const provider = createWorkspaceProvider({
  environment: {
    PATH: process.env["PATH"],
    HOME,
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  },
});

export async function aWorkspace(kind: "git" | "folder", files: InlineFiles): Promise<Bench> {
  return kind === "git" ? aCheckout(files) : benchOf(inlineFolder(files));
}

export async function aCheckout(files: InlineFiles): Promise<Bench<InlineRepo>> {
  return benchOf(inlineRepo(files));
}

export async function benchOf<F extends InlineFolder>(
  files: F,
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<Bench<F>> {
  const store = tempFolder();
  onTestFinished(() => files.dispose());
  const opener = environment === undefined ? provider : createWorkspaceProvider({ environment });
  const reopen = async (rules?: string): Promise<Workspace> =>
    must(await opener.open(files.dir, store, rules));
  const workspace = await reopen();
  return {
    files,
    workspace,
    store,
    reopen,
    snapshot: async () => must(await workspace.snapshot()),
    holds: (tree) => contentsOf(workspace, tree),
  };
}

export async function contentsOf(workspace: Workspace, tree: TreeId): Promise<Record<string, string>> {
  const dir = join(tempFolder(), "contents");
  must(await workspace.materialise(tree, dir));
  const found: Record<string, string> = {};
  for (const name of [...everyFile(dir, "", () => false)].sort()) {
    const path = join(dir, name);
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
    else if (stat.isFile())
      found[name] = `${(stat.mode & 0o100) === 0 ? "" : "+"}${readFileSync(path, "utf8")}`;
  }
  rmSync(dir, { recursive: true });
  return found;
}

/** A repository with a submodule at `lib`, which has uncommitted work. */
export function withSubmodule(): InlineRepo {
  const library = inlineRepo({ "lib.c": "library", ".gitignore": "*.o\n" });
  onTestFinished(() => library.dispose());
  const repo = inlineRepo({ "main.c": "main", ".gitignore": "*.log\n" });
  repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library.dir, "lib");
  repo.commit("Add the library");
  repo.write({ "lib/new.c": "new", "lib/x.o": "object", "lib/kept.log": "log", "x.log": "log" });
  return repo;
}

/** What git says about the repository's own state: index, stash, branches, configuration. */
export function stateOf(repo: InlineRepo): readonly string[] {
  return [
    repo.git("ls-files", "-s", "-v"),
    repo.git("for-each-ref"),
    repo.git("config", "--list"),
    readFileSync(join(repo.dir, ".git/index")).toString("base64"),
  ];
}
