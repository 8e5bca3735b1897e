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

/** `<time>_<session id>.jsonl`: the name without its ending. */
export function piGroup(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? "").replace(/\.jsonl$/, "");
}
