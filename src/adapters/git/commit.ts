import { mkdirSync, rmSync } from "node:fs";
import { sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { TreeId } from "../../ports/workspace.ts";
import { IDENTITY_HINT } from "./deliverable.ts";
import type { ObjectStore } from "./object-store.ts";
import { covers, joinNul, splitNul } from "./paths.ts";
import { pointerTarget, readBytes, type TheirGit } from "./their-git.ts";
import type { TreeStore } from "./tree-store.ts";
import { walkFiles } from "./walk.ts";

/** As the old value of a ref: there must be none. */
const ABSENT = "";

/**
 * Commits exactly `paths` as they are on disk, on top of HEAD. The index keeps whatever else is staged. When HEAD holds
 * them already, by the agent or by a call that a crash cut off, HEAD is the commit and the index follows it.
 */
export async function commitPaths(
  theirs: TheirGit,
  store: ObjectStore,
  paths: readonly string[],
  message: string,
): Promise<Result<{ readonly commit: string }>> {
  const index = store.scratch("commit");
  const top = theirs.repository.top;
  try {
    const parent = await readHead(theirs, index);
    if (!parent.ok) return parent;
    const staged = await stage(theirs, { dir: top, index }, paths, parent.value.links);
    if (!staged.ok) return staged;
    const commit = await commitOnHead(theirs, index, parent.value.commit, message);
    if (!commit.ok) return commit;
    const entries = await theirs.run(["ls-files", "-s", "-z", "--", ...paths], { index });
    if (!entries.ok) return entries;
    const settled = await settleIndex(theirs, paths, splitNul(entries.value.stdout), commit.value);
    return settled.ok ? ok({ commit: commit.value }) : settled;
  } finally {
    rmSync(index, { force: true });
  }
}

/** HEAD itself when the index holds nothing else, a new commit on top of it otherwise. */
async function commitOnHead(
  theirs: TheirGit,
  index: string,
  head: string | undefined,
  message: string,
): Promise<Result<string>> {
  const tree = await writeTree(theirs, index);
  if (!tree.ok) return tree;
  if (head !== undefined && (await treeOf(theirs, head)) === tree.value) return ok(head);
  const made = await makeCommit(theirs, tree.value, head, message);
  if (!made.ok) return made;
  const moved = await theirs.run([
    "update-ref",
    "-m",
    "commit by loopwright",
    "HEAD",
    made.value,
    head ?? ABSENT,
  ]);
  return moved.ok ? made : moved;
}

/** Makes a branch at a commit on top of HEAD that holds `tree`; one that is such a commit already is left. Submodules stay at the commits that HEAD names. */
export async function branchTree(
  theirs: TheirGit,
  store: ObjectStore,
  trees: TreeStore,
  branch: {
    readonly name: string;
    readonly tree: TreeId;
    readonly dir: string;
    readonly nested: readonly string[];
  },
  message: string,
): Promise<Result<{ readonly commit: string }>> {
  const valid = await theirs.run(["check-ref-format", "--branch", branch.name], { answers: [1, 128] });
  if (!valid.ok || valid.value.exitCode !== 0)
    return fail("bad-input", `${branch.name} is no name for a branch`);
  const index = store.scratch("branch");
  try {
    const parent = await readHead(theirs, index);
    if (!parent.ok) return parent;
    const left = await leftByUser(theirs);
    if (!left.ok) return left;
    const listed = await trees.list(branch.tree);
    if (!listed.ok) return listed;
    const nested = new Set([...parent.value.links, ...branch.nested]);
    const paths = new Set([...parent.value.paths, ...listed.value.map((entry) => entry.path)]);
    const wanted = [...paths].filter((path) => !covers(nested, path) && !left.value.has(path));
    const staged = await stage(theirs, { dir: branch.dir, index }, wanted, []);
    if (!staged.ok) return staged;
    return await branchAt(theirs, index, parent.value.commit, branch.name, message);
  } finally {
    rmSync(index, { force: true });
  }
}

async function branchAt(
  theirs: TheirGit,
  index: string,
  head: string | undefined,
  name: string,
  message: string,
): Promise<Result<{ readonly commit: string }>> {
  const tree = await writeTree(theirs, index);
  if (!tree.ok) return tree;
  if (head !== undefined && (await treeOf(theirs, head)) === tree.value) {
    return fail("bad-input", "there is nothing to commit: HEAD holds the same content");
  }
  const ref = `refs/heads/${name}`;
  const there = await commitOf(theirs, ref);
  if (there !== undefined && (await treeOf(theirs, ref)) === tree.value) {
    if ((await commitOf(theirs, `${ref}^`)) === head) return ok({ commit: there });
  }
  const made = await makeCommit(theirs, tree.value, head, message);
  if (!made.ok) return made;
  const moved = await theirs.run(["update-ref", "-m", "branch by loopwright", ref, made.value, ABSENT]);
  if (moved.ok) return ok({ commit: made.value });
  return fail("bad-input", `the branch ${name} cannot be made: ${moved.problem.message}`, {
    hint: "choose another name",
  });
}

interface Head {
  readonly commit: string | undefined;
  readonly paths: readonly string[];
  /** Submodules. */
  readonly links: readonly string[];
}

/** Reads HEAD into a fresh index. */
async function readHead(theirs: TheirGit, index: string): Promise<Result<Head>> {
  const head = await theirs.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"], { answers: [1] });
  if (!head.ok) return head;
  if (head.value.exitCode !== 0) return ok({ commit: undefined, paths: [], links: [] });
  const commit = head.value.stdout.toString("latin1").trim();
  const read = await theirs.run(["read-tree", commit], { index });
  if (!read.ok) return read;
  const listed = await theirs.run(["ls-files", "-s", "-z"], { index });
  if (!listed.ok) return listed;
  const entries = splitNul(listed.value.stdout).map((line) => ({
    isLink: line.startsWith("160000"),
    path: line.slice(line.indexOf("\t") + 1),
  }));
  return ok({
    commit,
    paths: entries.filter((entry) => !entry.isLink).map((entry) => entry.path),
    links: entries.filter((entry) => entry.isLink).map((entry) => entry.path),
  });
}

/** Paths that the user's sparse checkout keeps off the disk: their absence is no deletion. */
async function leftByUser(theirs: TheirGit): Promise<Result<ReadonlySet<string>>> {
  const listed = await theirs.run(["ls-files", "-t", "-z"]);
  if (!listed.ok) return listed;
  return ok(
    new Set(
      splitNul(listed.value.stdout)
        .filter((line) => line.startsWith("S "))
        .map((line) => line.slice(2)),
    ),
  );
}

/**
 * Adds paths to an index of theirs with their line-end rules but without their filter programs. A file that such a
 * filter stands for is left at what HEAD has when it is the content that HEAD's LFS pointer names, else refused.
 */
async function stage(
  theirs: TheirGit,
  at: { readonly dir: string; readonly index: string },
  paths: readonly string[],
  links: readonly string[],
): Promise<Result<void>> {
  const inside = paths.find((path) => covers(new Set(links), path));
  if (inside !== undefined) {
    return fail("git-failed", `${inside} lies in a submodule`, { hint: "commit it in the submodule" });
  }
  const filtered = await filteredPaths(theirs, at, paths);
  if (!filtered.ok) return filtered;
  const there = new Set(walkFiles(at.dir, filtered.value));
  const kept = new Set<string>();
  for (const path of there) {
    const before = await theirs.run(["cat-file", "blob", `:${path}`], { ...at, answers: [128] });
    if (!before.ok) return before;
    const target = pointerTarget(before.value.stdout.toString("utf8"));
    if (target === undefined || target !== sha256(readBytes(at.dir, path))) {
      return fail("git-failed", `${path} needs a filter of the repository, which is never run here`, {
        hint: `commit it yourself: git add -- '${path}'`,
      });
    }
    kept.add(path);
  }
  const added = await theirs.run(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
    ...at,
    input: joinNul(paths.filter((path) => !kept.has(path))),
  });
  return added.ok ? ok(undefined) : added;
}

/** `path`, `filter`, value, ... */
async function filteredPaths(
  theirs: TheirGit,
  at: { readonly dir: string; readonly index: string },
  paths: readonly string[],
): Promise<Result<readonly string[]>> {
  const asked = await theirs.run(["check-attr", "-z", "--stdin", "filter"], { ...at, input: joinNul(paths) });
  if (!asked.ok) return asked;
  const parts = splitNul(asked.value.stdout);
  return ok(
    parts.filter(
      (_, i) => i % 3 === 0 && !["unspecified", "unset", "set"].includes(parts[i + 2] ?? "unspecified"),
    ),
  );
}

async function writeTree(theirs: TheirGit, index: string): Promise<Result<string>> {
  const tree = await theirs.run(["write-tree"], { index });
  return tree.ok ? ok(tree.value.stdout.toString("latin1").trim()) : tree;
}

function treeOf(theirs: TheirGit, name: string): Promise<string | undefined> {
  return objectOf(theirs, `${name}^{tree}`);
}

function commitOf(theirs: TheirGit, name: string): Promise<string | undefined> {
  return objectOf(theirs, `${name}^{commit}`);
}

async function objectOf(theirs: TheirGit, name: string): Promise<string | undefined> {
  const found = await theirs.run(["rev-parse", "-q", "--verify", name], { answers: [1] });
  return found.ok && found.value.exitCode === 0 ? found.value.stdout.toString("latin1").trim() : undefined;
}

async function makeCommit(
  theirs: TheirGit,
  tree: string,
  parent: string | undefined,
  message: string,
): Promise<Result<string>> {
  const parents = parent === undefined ? [] : ["-p", parent];
  const made = await theirs.run(["commit-tree", tree, ...parents, "-F", "-"], {
    input: `${message.trimEnd()}\n`,
  });
  if (made.ok) return ok(made.value.stdout.toString("latin1").trim());
  return fail("git-failed", made.problem.message, { hint: IDENTITY_HINT });
}

/** Gives the real index the committed entries of these paths, then lets git look at their stat data. */
async function settleIndex(
  theirs: TheirGit,
  paths: readonly string[],
  entries: readonly string[],
  commit: string,
): Promise<Result<void>> {
  const noObject = "0".repeat(commit.length);
  const held = new Set(entries.map((line) => line.slice(line.indexOf("\t") + 1)));
  const removed = paths.filter((path) => !held.has(path)).map((path) => `0 ${noObject}\t${path}`);
  const written = await theirs.run(["update-index", "--replace", "-z", "--index-info"], {
    input: joinNul([...removed, ...entries]),
  });
  if (!written.ok) {
    return fail(
      "git-failed",
      `the commit is made, but the index could not follow: ${written.problem.message}`,
      {
        hint: "git reset -q -- PATHS",
      },
    );
  }
  await theirs.run(["update-index", "-q", "--refresh"], { answers: [1] });
  return ok(undefined);
}

/** A scratch folder that holds `tree`, for as long as `use` needs it. */
export async function withCheckout<T>(
  store: ObjectStore,
  trees: TreeStore,
  tree: TreeId,
  use: (dir: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const dir = store.scratch("tree");
  mkdirSync(dir, { recursive: true });
  const written = await trees.writeFolder(tree, dir);
  const used = written.ok ? await use(dir) : written;
  rmSync(dir, { recursive: true, force: true });
  return used;
}
