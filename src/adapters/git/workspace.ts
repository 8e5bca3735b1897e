import { join } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import type { TreeId, Workspace } from "../../ports/workspace.ts";
import { branchTree, commitPaths, withCheckout } from "./commit.ts";
import { composeTree } from "./compose.ts";
import { whetherDeliverable } from "./deliverable.ts";
import { type Repository, realFolder, repositoryAt } from "./discover.ts";
import { factsOf } from "./facts.ts";
import type { Environment } from "./freeze.ts";
import { gitTrees } from "./git-trees.ts";
import { layHistory, readHistory } from "./history.ts";
import { listIgnored } from "./ignored.ts";
import { materialiseTree, verifyTree } from "./materialise.ts";
import { integrateTree, mergeByGit } from "./merge.ts";
import type { ObjectStore } from "./object-store.ts";
import type { RuleFiles } from "./rule-files.ts";
import { type Camera, openCamera } from "./snapshot.ts";
import { openTheirGit } from "./their-git.ts";
import { toPathChange } from "./tree-store.ts";
import { type StepListener, updateFolder } from "./update-folder.ts";
import { addWorktree, adminFolder, dropWorktree, finishRemoval, keepIgnored } from "./worktree.ts";

/** `git merge-file` answers with the number of conflicts. */
const CONFLICTS = Array.from({ length: 127 }, (_, at) => at + 1);

/** The workspace of a git checkout. */
export function gitWorkspace(
  store: ObjectStore,
  root: Repository,
  rules: RuleFiles,
  { environment, onStep }: { readonly environment: Environment; readonly onStep?: StepListener },
): Workspace {
  const trees = gitTrees(store);
  const cameras = new Map<string, Camera>();
  const skipped = new Map<string, Workspace["skipped"]>();
  const theirs = () => openTheirGit(store.git, root, environment, onStep);
  const mergeContents = (): ReturnType<typeof mergeByGit> =>
    mergeByGit(store.scratch("merge"), (args) => store.run(args, { answers: CONFLICTS }));

  const snapshot = async (dir = root.top): Promise<Result<TreeId>> => {
    const at = realFolder(dir);
    if (!at.ok) return at;
    const camera = cameras.get(at.value) ?? openCamera(store, at.value, rules);
    cameras.set(at.value, camera);
    const taken = await camera.take();
    if (!taken.ok) return taken;
    skipped.set(at.value, taken.value.skipped);
    return ok(taken.value.tree);
  };

  const ignored = async (dir = root.top): Promise<Result<readonly string[]>> => {
    const at = realFolder(dir);
    if (!at.ok) return at;
    const taken = await snapshot(dir);
    if (!taken.ok) return taken;
    return listIgnored(store, { dir: at.value, index: cameras.get(at.value)?.index.file ?? "" }, rules);
  };

  return {
    root: root.top,
    kind: "git",
    rules: rules.digest,
    get skipped() {
      return skipped.get(root.top) ?? [];
    },
    snapshot,
    ignored,
    diff: async (from, to) => {
      const changes = await trees.changes(from, to);
      return changes.ok ? ok(changes.value.map(toPathChange)) : changes;
    },
    patch: async (from, to, paths = []) => {
      const args = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
      const text = await store.run([...args, from, to, "--", ...paths]);
      return text.ok ? ok(text.value.stdout.toString("utf8")) : text;
    },
    list: (tree) => trees.list(tree),
    read: async (tree, path) => {
      const held = await trees.entry(tree, path);
      if (!held.ok || held.value === undefined) return held.ok ? ok(undefined) : held;
      let found: Uint8Array | undefined;
      const read = await trees.contents([held.value.content], (_, bytes) => {
        found = Uint8Array.from(bytes);
      });
      return read.ok ? ok(found) : read;
    },
    compose: (tree, edit) => composeTree(trees, tree, edit),
    materialise: (tree, dir) => materialiseTree(trees, tree, dir),
    verify: (tree, dir, strict) => verifyTree(trees, tree, dir, strict),
    update: (dir, from, to) => updateFolder(trees, dir, from, to, onStep),
    facts: async (dir = root.top) => {
      const repository = repositoryAt(dir);
      return repository === undefined
        ? fail("not-a-repository", `${dir} is no longer a git checkout`)
        : ok(factsOf(repository));
    },
    history: async () => readHistory(await theirs()),
    addHistory: (dir, history) => layHistory(store.git, join(root.commonDir, "objects"), dir, history),
    addWorktree: async (path, tree) => {
      const added = await addWorktree(await theirs(), trees, path, tree);
      // A first snapshot, so that an untouched worktree is known to hold nothing new.
      const taken = added.ok ? await snapshot(added.value.path) : added;
      return taken.ok ? added : taken;
    },
    integrate: async (base, found) => {
      const ours = await snapshot();
      if (!ours.ok) return ours;
      const into = {
        trees,
        root: root.top,
        ours: ours.value,
        mergeContents: mergeContents(),
        ...(onStep === undefined ? {} : { onStep }),
      };
      return integrateTree(into, base, found);
    },
    removeWorktree: async (path) => {
      const git = await theirs();
      const real = realFolder(path);
      if (!real.ok) return finishRemoval(git, path);
      const dir = real.value;
      if (adminFolder(git, dir) === undefined) {
        return fail("bad-input", `${path} is no worktree of this repository`);
      }
      const before = (cameras.get(dir) ?? openCamera(store, dir, rules)).index.recall()?.tree;
      const now = await snapshot(dir);
      if (!now.ok) return now;
      if (now.value !== before) {
        return fail("work-conflict", `the worktree ${path} holds work that was not taken yet`, {
          hint: "integrate it first, then remove it",
        });
      }
      const left = await ignored(dir);
      if (!left.ok) return left;
      const kept = await keepIgnored(store.folder, trees, dir, now.value, left.value);
      return kept.ok ? dropWorktree(git, dir) : kept;
    },
    canDeliver: async (plan) => whetherDeliverable(await theirs(), plan),
    commit: async (paths, message) => commitPaths(await theirs(), store, paths, message),
    branch: async (name, tree, message) => {
      const git = await theirs();
      const nested = rules.rules.repositories.map((one) => one.prefix.replace(/\/$/, "")).filter(Boolean);
      return withCheckout(store, trees, tree, (dir) =>
        branchTree(git, store, trees, { name, tree, dir, nested }, message),
      );
    },
  };
}
