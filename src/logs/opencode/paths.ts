import type { LogTree } from "../../ports/log-source.ts";
import type { LogEnvironment } from "../environment.ts";

const NAME = /^opencode(-[\w.-]+)?\.db(-wal)?$/;

/** `$OPENCODE_DB`, else every release channel's database in `$XDG_DATA_HOME/opencode`, else in `~/.local/share/opencode`. */
export function opencodeTrees(env: LogEnvironment): LogTree[] {
  const data = `${env.variables["XDG_DATA_HOME"] || `${env.homeDir}/.local/share`}/opencode`;
  const named = env.variables["OPENCODE_DB"];
  if (named === undefined || named === "") {
    return [{ root: data, wants: (path, kind) => kind === "file" && NAME.test(path) }];
  }
  const path = /^([\\/]|[A-Za-z]:)/.test(named) ? named : `${data}/${named}`;
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const name = path.slice(cut + 1);
  return [{ root: path.slice(0, cut), wants: (entry) => entry === name || entry === `${name}-wal` }];
}
