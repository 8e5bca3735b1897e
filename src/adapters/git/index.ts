import { mkdirSync, realpathSync } from "node:fs";
import { ok, type Result } from "../../core/result.ts";
import type { WorkspaceProvider } from "../../ports/workspace.ts";
import { sweepScratch } from "./checkout-index.ts";
import { realFolder, repositoryAbove, topLevelOf } from "./discover.ts";
import { findGit } from "./find-git.ts";
import { folderWorkspace } from "./folder/workspace.ts";
import { type Environment, freezeRules } from "./freeze.ts";
import type { Git } from "./git-process.ts";
import { openObjectStore } from "./object-store.ts";
import { loadRules, saveRules } from "./rule-files.ts";
import type { StepListener } from "./update-folder.ts";
import { gitWorkspace } from "./workspace.ts";

export interface WorkspaceOptions {
  /**
   * The user's environment: PATH finds git, HOME and XDG_CONFIG_HOME their excludes and identity. Variables that
   * redirect git (GIT_DIR and the like) are ignored.
   */
  readonly environment: Environment;
  /** Told after each step that changed the user's repository or folder: a crash test ends the process in it. */
  readonly onStep?: StepListener;
}

/** Workspaces of git checkouts, through plain git 2.30 or newer, and of folders that are none, by manifest. */
export function createWorkspaceProvider(options: WorkspaceOptions): WorkspaceProvider {
  let git: Promise<Result<Git>> | undefined;
  const findOnce = (): Promise<Result<Git>> => {
    git ??= findGit(options.environment["PATH"] ?? "");
    return git;
  };
  return {
    topLevel: async (dir) => topLevelOf(dir),
    open: async (dir, store, rules) => {
      const real = realFolder(dir);
      if (!real.ok) return real;
      mkdirSync(store, { recursive: true });
      const found = await findOnce();
      const repository = repositoryAbove(real.value);
      if (repository === undefined) {
        return ok(folderWorkspace(real.value, realpathSync(store), found.ok ? found.value : undefined));
      }
      if (!found.ok) return found;
      const objects = openObjectStore(found.value, realpathSync(store));
      sweepScratch(objects);
      objects.ensure();
      const frozen = await frozenRules(objects, repository.top, options.environment, rules);
      return frozen.ok ? ok(gitWorkspace(objects, repository, frozen.value, options)) : frozen;
    },
  };
}

async function frozenRules(
  store: ReturnType<typeof openObjectStore>,
  root: string,
  environment: Environment,
  digest: string | undefined,
): Promise<ReturnType<typeof loadRules>> {
  if (digest !== undefined) return loadRules(store, root, digest);
  const rules = await freezeRules(store, root, environment);
  return rules.ok ? ok(saveRules(store, root, rules.value)) : rules;
}
