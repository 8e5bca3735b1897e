import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../core/result.ts";
import type { Repository } from "./discover.ts";
import { type Environment, userEnvironment } from "./freeze.ts";
import type { Git, GitOutput } from "./git-process.ts";
import type { At } from "./object-store.ts";
import type { StepListener } from "./update-folder.ts";

/** Git in the user's own repository, with every program that its configuration names switched off. */
export interface TheirGit {
  readonly repository: Repository;
  readonly onStep: StepListener;
  run(args: readonly string[], at?: At): Promise<Result<GitOutput>>;
}

const QUIET = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "commit.gpgSign=false",
];

/** What changes the user's repository rather than an index of ours. */
const CHANGES = new Set(["worktree", "read-tree", "update-ref", "update-index"]);

export async function openTheirGit(
  git: Git,
  repository: Repository,
  environment: Environment,
  onStep: StepListener = () => undefined,
): Promise<TheirGit> {
  const env = userEnvironment(environment, repository.gitDir);
  const named = await git.run({
    args: ["config", "--name-only", "-z", "--get-regexp", "^filter\\..*\\.(clean|smudge|process|required)$"],
    cwd: "/",
    env,
    answers: [1],
  });
  const drivers = named.ok ? named.value.stdout.toString("utf8").split("\0").filter(Boolean) : [];
  const settings = [...QUIET, ...drivers.map((key) => `${key}=${key.endsWith(".required") ? "false" : ""}`)];
  const quiet = settings.flatMap((setting) => ["-c", setting]);
  return {
    repository,
    onStep,
    run: async (args, at = {}) => {
      const done = await git.run({
        args: [...quiet, ...args],
        cwd: at.dir ?? repository.top,
        env: {
          ...env,
          GIT_WORK_TREE: at.dir ?? repository.top,
          GIT_NO_REPLACE_OBJECTS: "1",
          ...(at.index === undefined ? {} : { GIT_INDEX_FILE: at.index }),
        },
        ...(at.input === undefined ? {} : { input: at.input }),
        ...(at.answers === undefined ? {} : { answers: at.answers }),
      });
      const verb = args.find((word) => CHANGES.has(word));
      if (verb !== undefined && at.index === undefined) onStep(`git ${verb}`);
      return done;
    },
  };
}

/** The content hash that a Git LFS pointer names, or undefined for any other text. */
export function pointerTarget(text: string): string | undefined {
  if (text.length > 1024 || !text.startsWith("version https://git-lfs.github.com/spec/")) return undefined;
  return /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
}

export function readBytes(dir: string, path: string): Uint8Array {
  return readFileSync(join(dir, path));
}
