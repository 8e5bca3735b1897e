import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../../../core/hash.ts";
import { fail, ok, type Result } from "../../../core/result.ts";
import type { PathChange, TreeId, Workspace } from "../../../ports/workspace.ts";
import { composeTree } from "../compose.ts";
import { realFolder } from "../discover.ts";
import { noFacts } from "../facts.ts";
import { isCache } from "../generated.ts";
import type { Git } from "../git-process.ts";
import { materialiseTree, verifyTree } from "../materialise.ts";
import { integrateTree, type MergeContents, mergeByGit } from "../merge.ts";
import { plainEnvironment } from "../object-store.ts";
import { covers, unnameable } from "../paths.ts";
import { type EntryChange, toPathChange } from "../tree-store.ts";
import { updateFolder } from "../update-folder.ts";
import { shootFolder } from "./folder-snapshot.ts";
import { type ManifestTrees, manifestTrees } from "./manifest-trees.ts";

const NO_REPOSITORY = fail("not-a-repository", "this folder is no git repository", { hint: "git init" });

/** The workspace of a folder without git. Git, when there is one, only merges and prints differences. */
export function folderWorkspace(root: string, store: string, git: Git | undefined): Workspace {
  const trees = manifestTrees(store);
  let skipped: Workspace["skipped"] = [];
  const snapshot = async (dir = root): Promise<Result<TreeId>> => {
    const real = realFolder(dir);
    if (!real.ok) return real;
    const shot = shootFolder(trees, store, real.value);
    if (real.value === root) skipped = shot.skipped;
    return ok(shot.tree);
  };
  return {
    root,
    kind: "folder",
    rules: sha256(""),
    get skipped() {
      return skipped;
    },
    snapshot,
    diff: async (from, to) => {
      const changes = await trees.changes(from, to);
      return changes.ok ? ok(changes.value.map(toPathChange)) : changes;
    },
    patch: (from, to, paths) => patchFolders(trees, store, git, { from, to, paths }),
    list: (tree) => trees.list(tree),
    read: async (tree, path) => {
      const held = await trees.entry(tree, path);
      if (!held.ok || held.value === undefined) return held.ok ? ok(undefined) : held;
      let found: Uint8Array | undefined;
      const read = await trees.contents([held.value.content], (_, bytes) => {
        found = bytes;
      });
      return read.ok ? ok(found) : read;
    },
    compose: (tree, edit) => composeTree(trees, tree, edit),
    ignored: async (dir = root) => {
      const real = realFolder(dir);
      return real.ok ? ok(caches(real.value, "").sort()) : real;
    },
    materialise: (tree, dir) => materialiseTree(trees, tree, dir),
    verify: (tree, dir, strict) => verifyTree(trees, tree, dir, strict),
    update: (dir, from, to) => updateFolder(trees, dir, from, to),
    history: async () => ok(undefined),
    addHistory: async () => NO_REPOSITORY,
    facts: async () => ok(noFacts()),
    addWorktree: async () => NO_REPOSITORY,
    integrate: async (base, found) => {
      const ours = await snapshot();
      if (!ours.ok) return ours;
      const mergeContents = git === undefined ? neverMerge : mergeWith(git, store);
      return integrateTree({ trees, root, ours: ours.value, mergeContents }, base, found);
    },
    removeWorktree: async () => NO_REPOSITORY,
    canDeliver: async () => NO_REPOSITORY,
    commit: async () => NO_REPOSITORY,
    branch: async () => NO_REPOSITORY,
  };
}

const neverMerge: MergeContents = async () => ok(undefined);

function mergeWith(git: Git, store: string): MergeContents {
  const answers = Array.from({ length: 127 }, (_, at) => at + 1);
  return mergeByGit(mkdtempSync(join(store, "merge-")), (args) =>
    git.run({ args, cwd: store, env: plainEnvironment(store), answers }),
  );
}

/** Outermost folders of caches, which are never part of the tree of a plain folder. */
function caches(dir: string, under: string): string[] {
  return readdirSync(join(dir, under), { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map((item) => (under === "" ? item.name : `${under}/${item.name}`))
    .filter((path) => unnameable(path) === undefined)
    .flatMap((path) => (isCache(path) ? [`${path}/`] : caches(dir, path)));
}

interface PatchRequest {
  readonly from: TreeId;
  readonly to: TreeId;
  readonly paths: readonly string[] | undefined;
}

/** Writes both sides of what differs beside each other and lets git compare; without git, names only. */
async function patchFolders(
  trees: ManifestTrees,
  store: string,
  git: Git | undefined,
  { from, to, paths }: PatchRequest,
): Promise<Result<string>> {
  const changes = await trees.changes(from, to);
  if (!changes.ok) return changes;
  const wanted = new Set(paths ?? []);
  const shown = changes.value.filter(({ path }) => wanted.size === 0 || covers(wanted, path));
  if (git === undefined || shown.length === 0) return ok(nameOnly(shown.map(toPathChange)));
  const folder = mkdtempSync(join(store, "patch-"));
  for (const side of ["a", "b"]) mkdirSync(join(folder, side));
  const written = await writeSides(trees, folder, shown);
  const compared = written.ok
    ? await git.run({
        args: [
          "diff",
          "--no-index",
          "--no-ext-diff",
          "--no-textconv",
          "--no-color",
          "--no-renames",
          "--no-prefix",
          "a",
          "b",
        ],
        cwd: folder,
        env: { ...plainEnvironment(store), GIT_CEILING_DIRECTORIES: dirname(folder) },
        answers: [1],
      })
    : written;
  rmSync(folder, { recursive: true, force: true });
  if (!compared.ok) return compared;
  return ok(compared.value.stdout.toString("utf8"));
}

function nameOnly(changes: readonly PathChange[]): string {
  return changes.map(({ path, kind }) => `${kind} ${path}\n`).join("");
}

async function writeSides(
  trees: ManifestTrees,
  folder: string,
  changes: readonly EntryChange[],
): Promise<Result<void>> {
  const targets = new Map<string, string[]>();
  for (const { path, from, to } of changes) {
    if (from !== undefined)
      targets.set(from.content, [...(targets.get(from.content) ?? []), join(folder, "a", path)]);
    if (to !== undefined)
      targets.set(to.content, [...(targets.get(to.content) ?? []), join(folder, "b", path)]);
  }
  return trees.contents(targets.keys(), (id, bytes) => {
    for (const file of targets.get(id) ?? []) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
  });
}
