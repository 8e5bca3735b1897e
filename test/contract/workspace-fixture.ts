import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createWorkspaceProvider } from "../../src/adapters/git/index.ts";
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
const HOME = tempFolder();

export function tempFolder(): string {
  return mkdtempSync(join(tmpdir(), "loopwright-test-"));
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
  onTestFinished(() => {
    files.dispose();
    rmSync(store, { recursive: true, force: true });
  });
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
  const found: Record<string, string> = {};
  for (const { path, mode } of must(await workspace.list(tree))) {
    const bytes = must(await workspace.read(tree, path));
    const text = Buffer.from(bytes ?? new Uint8Array()).toString("utf8");
    found[path] = `${mode === "symlink" ? "-> " : mode === "executable" ? "+" : ""}${text}`;
  }
  return found;
}
