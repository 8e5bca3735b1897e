import type { LogTree } from "../../ports/log-source.ts";
import type { LogEnvironment } from "../environment.ts";

/** `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`; the fork omp keeps the same files in `~/.omp/agent`. */
export function piTrees(env: LogEnvironment): LogTree[] {
  const named = env.variables["PI_CODING_AGENT_DIR"];
  return [tree(named === undefined || named === "" ? `${env.homeDir}/.pi/agent` : named)];
}

export function ompTrees(env: LogEnvironment): LogTree[] {
  return [tree(`${env.homeDir}/.omp/agent`)];
}

function tree(home: string): LogTree {
  return {
    root: `${home}/sessions`,
    wants: (path, kind) => kind === "folder" || path.endsWith(".jsonl"),
  };
}

/** `<time>_<session id>.jsonl`: the name without its ending; with its folder for an agent that a session started. */
export function piGroup(path: string): string {
  const [folder = "", file = ""] = path.split(/[\\/]/).slice(-2);
  const name = file.replace(/\.jsonl$/, "");
  return launcherIn(folder) === undefined ? name : `${folder}/${name}`;
}

/** The session that started an agent of omp: the agent's log lies in a folder of the session's name. */
export function piLauncher(path: string): string | undefined {
  return launcherIn(path.split(/[\\/]/).at(-2) ?? "");
}

function launcherIn(folder: string): string | undefined {
  return /^\d{4}-\d\d-\d\dT[^_]*_(.+)$/.exec(folder)?.[1];
}
