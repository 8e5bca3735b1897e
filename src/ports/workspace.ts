import type { Digest } from "../core/hash.ts";
import type { Problem, Result } from "../core/result.ts";

/**
 * The content of a working folder: of a git checkout the id of a tree in *our* object store; of a plain
 * folder the hash of a manifest. Submodules and nested repositories are part of it as subtrees.
 */
export type TreeId = string & { readonly __brand: "TreeId" };

export type FileMode = "file" | "executable" | "symlink";
export interface TreeEntry {
  readonly path: string;
  readonly mode: FileMode;
  /** Git blob id, or SHA-256 of the content in a plain folder. Equal ids mean equal content. */
  readonly content: string;
}

export type ChangeKind = "added" | "modified" | "deleted" | "mode" | "type";
export interface PathChange {
  readonly path: string;
  readonly kind: ChangeKind;
}

/** Facts about the repository that an agent can bend, compared before and after each attempt. */
export interface RepositoryFacts {
  readonly head: string | null;
  readonly branch: string | null;
  /** Hash over all refs, of `.git/config` (with included files inside `.git`), of `.git/info`, of hooks. */
  readonly refs: Digest;
  readonly config: Digest;
  readonly info: Digest;
  readonly hooks: Digest;
}

/** A tree built from two: what a check judges. Later rules win over earlier ones. */
export interface TreeEdit {
  /** Paths whose entries are taken from `from` (absent there: absent in the result). */
  readonly restore: { readonly from: TreeId; readonly paths: readonly string[] };
  readonly omit: readonly string[];
  readonly replace: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

export interface Worktree {
  readonly path: string;
  readonly base: TreeId;
}

export type Integration =
  | { readonly kind: "nothing" }
  | { readonly kind: "applied"; readonly paths: readonly PathChange[] }
  /** Nothing was changed in the target; the work is kept in `kept`. */
  | { readonly kind: "conflict"; readonly paths: readonly string[]; readonly kept: TreeId };

export interface UndoPoint {
  readonly tree: TreeId;
  readonly changes: readonly PathChange[];
}

/**
 * One checkout (or plain folder) that sessions work on. The user's index, stash, branches and config are never
 * written, unless `commit` or `branch` is called. No method runs a hook, filter of the repository's own config,
 * or fsmonitor. Trees live in our object store and stay readable whatever happens to the checkout.
 */
export interface Workspace {
  /** Real path of the git top level, or of the folder. */
  readonly root: string;
  readonly kind: "git" | "folder";
  /**
   * Name of the ignore rules that were frozen when this workspace was opened; a later process that continues the
   * session passes it to `open`, so that an ignore rule added meanwhile hides nothing.
   */
  readonly rules: string;
  /** Submodules and nested repositories left out because they cannot be read, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];

  /** The tree of what is there now: tracked, staged, unstaged and untracked, not ignored. `dir` defaults to the root; a worktree of ours is allowed. */
  snapshot(dir?: string): Promise<Result<TreeId>>;
  diff(from: TreeId, to: TreeId): Promise<Result<readonly PathChange[]>>;
  /** Unified diff for people; binary files by name only. */
  patch(from: TreeId, to: TreeId, paths?: readonly string[]): Promise<Result<string>>;
  list(tree: TreeId): Promise<Result<readonly TreeEntry[]>>;
  read(tree: TreeId, path: string): Promise<Result<Uint8Array | undefined>>;
  compose(tree: TreeId, edit: TreeEdit): Promise<Result<TreeId>>;
  /** Ignored files and folders on disk (folders collapsed), e.g. `node_modules/`, `.env`. */
  ignored(dir?: string): Promise<Result<readonly string[]>>;

  /** Writes a tree into an empty or absent folder and proves it by rehashing; a mismatch is `tree-tampered`. */
  materialise(tree: TreeId, dir: string): Promise<Result<void>>;
  /** Rehashes a materialised folder, ignoring paths that the tree does not hold unless `strict`. */
  verify(tree: TreeId, dir: string, strict: boolean): Promise<Result<readonly PathChange[]>>;
  /** Updates a folder from one tree to another by difference. Files that hold neither content are left and returned. */
  update(dir: string, from: TreeId, to: TreeId): Promise<Result<readonly string[]>>;

  facts(dir?: string): Promise<Result<RepositoryFacts>>;
  /** What `addHistory` needs, as the repository is now; undefined for a plain folder and before the first commit. */
  history(): Promise<Result<string | undefined>>;
  /**
   * Makes a folder that holds a materialised tree a repository of its own, with the commits, names and HEAD that
   * `history` tells. It borrows this one's objects and can change nothing here. Problem: `not-a-repository`.
   */
  addHistory(dir: string, history: string): Promise<Result<void>>;

  /**
   * A git worktree of ours at `path` with exactly the content of `tree`; a whole one that stands there is left as it
   * is. `not-a-repository` and `no-commits` are problems.
   */
  addWorktree(path: string, tree: TreeId): Promise<Result<Worktree>>;
  /** Three-way merge of (worktree's base → found) into the root's current content, all or nothing. */
  integrate(base: TreeId, found: TreeId): Promise<Result<Integration>>;
  /** Refuses (`work-conflict`) unless the worktree's present tree is in our store, then removes it. One that is gone is fine. */
  removeWorktree(path: string): Promise<Result<void>>;

  /**
   * Whether `commit`, or `branch` under this name, could succeed now: an identity, a name that is valid and free.
   * Writes nothing. Problems: `not-a-repository`, `git-failed` (no identity), `bad-input` (the name).
   */
  canDeliver(plan: DeliveryPlan): Promise<Result<void>>;
  /**
   * Commits exactly `paths` on the current branch (user's identity, hooks off), leaving everything else staged or not
   * as it was. When HEAD holds them already, that commit is the answer, so it can be repeated after a crash.
   */
  commit(paths: readonly string[], message: string): Promise<Result<{ readonly commit: string }>>;
  /** Makes branch `name` at a commit that holds `tree`, without touching checkout or index; repeatable in the same way. */
  branch(name: string, tree: TreeId, message: string): Promise<Result<{ readonly commit: string }>>;
}

/** How work shall be handed over as git history. */
export type DeliveryPlan = { readonly kind: "commit" } | { readonly kind: "branch"; readonly name: string };

export interface WorkspaceProvider {
  /**
   * `store` is a folder of ours for this checkout's object store and index. Without `rules` the present ignore rules
   * are frozen: the start of a session. Problems: `no-such-folder`, `git-missing`, `tree-unreadable`.
   */
  open(dir: string, store: string, rules?: string): Promise<Result<Workspace>>;
  /** Real path of the top level that `dir` belongs to, cheap; the folder itself when it is no repository. */
  topLevel(dir: string): Promise<Result<{ readonly path: string; readonly kind: "git" | "folder" }>>;
}

export type { Problem };
