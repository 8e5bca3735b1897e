import type { LogTree } from "../../ports/log-source.ts";
import type { LogEnvironment } from "../environment.ts";

/** `~/.gemini/tmp/<project hash>/chats/session-*.json`: one document a session. */
export function geminiTrees(env: LogEnvironment): LogTree[] {
  return [
    {
      root: `${env.homeDir}/.gemini/tmp`,
      wants: (path, kind) => {
        const parts = path.split("/");
        if (kind === "folder") return parts.length <= 2;
        return parts.length === 3 && parts[1] === "chats" && /^session-.*\.json$/.test(parts[2] ?? "");
      },
    },
  ];
}

export function geminiGroup(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? "").replace(/\.json$/, "");
}
