import { execFile } from "node:child_process";
import { basename, resolve } from "node:path";
import type { CommitHistory } from "../../ports/commit-history.ts";

const MOST_BYTES = 16 * 1024 * 1024;
const HASH = /^[0-9a-f]{7,64}$/i;

/** Asks the git of the user's PATH. Hooks and pagers stay off, and variables that redirect git do not reach it. */
export function createCommitHistory(
  environment: Readonly<Record<string, string | undefined>>,
): CommitHistory {
  const git = (folder: string, ...args: readonly string[]): Promise<string | undefined> =>
    new Promise((done) => {
      const quiet = ["--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
      const env = { PATH: environment["PATH"], HOME: environment["HOME"], GIT_TERMINAL_PROMPT: "0" };
      const options = { cwd: folder, env, maxBuffer: MOST_BYTES, encoding: "utf8" } as const;
      try {
        execFile("git", [...quiet, ...args], options, (error, stdout) =>
          done(error === null ? stdout.trim() : undefined),
        );
      } catch {
        // A file in place of the folder is told here and not to the callback.
        done(undefined);
      }
    });
  return {
    async parents(folder, commit) {
      if (!HASH.test(commit)) return [];
      const line = await git(folder, "rev-list", "--parents", "-n", "1", `${commit}^{commit}`, "--");
      return line === undefined || line === "" ? [] : line.split(" ").slice(1);
    },
    head: (folder) => git(folder, "rev-parse", "--verify", "HEAD"),
    async repoName(folder) {
      const remote = await git(folder, "remote", "get-url", "origin");
      const named = remote === undefined ? undefined : /([^/:]+\/[^/:]+?)(\.git)?\/?$/.exec(remote)?.[1];
      if (named !== undefined) return named.toLowerCase();
      return basename((await git(folder, "rev-parse", "--show-toplevel")) ?? resolve(folder));
    },
    async commits(folder, { base, from, to }) {
      const range = base !== undefined && HASH.test(base) ? [`${base}..HEAD`] : ["HEAD"];
      const said = await git(folder, "log", "--reverse", "--format=%H %cI", ...range, "--");
      const all = (said ?? "").split("\n").flatMap((line) => {
        const [sha, at] = line.split(" ");
        return sha === undefined || at === undefined ? [] : [{ sha, at: new Date(at).toISOString() }];
      });
      return all.filter(
        ({ at }) => (from === undefined || at >= floor(from)) && (to === undefined || at <= to),
      );
    },
  };
}

/** Git keeps whole seconds: a commit of the same second is not before. */
function floor(at: string): string {
  const ms = Date.parse(at);
  return new Date(ms - (ms % 1000)).toISOString();
}
