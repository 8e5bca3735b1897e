import type { LogTree } from "../../ports/log-source.ts";
import type { LogEnvironment } from "../environment.ts";
import { nameOf, partsOf } from "../path-parts.ts";
import type { ClaudeFile } from "./facts.ts";

/** The folders that hold `projects/`. An explicit variable (also a list with commas) replaces the defaults. */
export function claudeHomes(env: LogEnvironment): string[] {
  const named = env.variables["CLAUDE_CONFIG_DIR"];
  if (named !== undefined && named.trim() !== "") {
    return named
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }
  const xdg = env.variables["XDG_CONFIG_HOME"];
  const config = xdg === undefined || xdg === "" ? `${env.homeDir}/.config` : xdg;
  return [`${env.homeDir}/.claude`, `${config}/claude`];
}

export function claudeTrees(env: LogEnvironment): LogTree[] {
  return claudeHomes(env).map((home) => ({ root: `${home}/projects`, wants: isTranscript }));
}

/** Only what belongs to one session: its transcript and those of its subagents, in every project. */
export function claudeSessionTrees(env: LogEnvironment, session: string): LogTree[] {
  const wants = (path: string, kind: "file" | "folder"): boolean => {
    const [, owner] = path.split("/");
    if (owner === undefined) return kind === "folder";
    return (owner === session || owner === `${session}.jsonl`) && isTranscript(path, kind);
  };
  return claudeHomes(env).map((home) => ({ root: `${home}/projects`, wants }));
}

/** Everything beside one session's transcript: where the session's history may have come from. */
export function claudeProjectTrees(projectDir: string): LogTree[] {
  return [{ root: projectDir, wants: (path, kind) => isTranscript(`project/${path}`, kind) }];
}

/** `<project>/<session>.jsonl` and `<project>/<session>/.../subagents/.../agent-*.jsonl`; other files hold no calls. */
function isTranscript(path: string, kind: "file" | "folder"): boolean {
  if (kind === "file" && !path.endsWith(".jsonl")) return false;
  // Without a list of the parts: this is asked of every file at every scan.
  const second = path.indexOf("/", path.indexOf("/") + 1);
  const isSubagents = path.startsWith("subagents/") || path.includes("/subagents/");
  if (kind === "file")
    return second < 0 || (isSubagents && path.startsWith("agent-", path.lastIndexOf("/") + 1));
  return second < 0 || path.indexOf("/", second + 1) < 0 || isSubagents || path.endsWith("/subagents");
}

/** Reads the place of a transcript from its path. */
export function claudeFile(path: string): ClaudeFile {
  const name = nameOf(path, ".jsonl");
  // Most are none of a subagent, which is told without taking the path apart.
  if (!path.includes("subagents")) return besideSessions(path, name);
  const parts = partsOf(path);
  const at = parts.indexOf("subagents", parts.lastIndexOf("projects") + 1);
  const session = at > 0 ? parts[at - 1] : undefined;
  return session === undefined
    ? besideSessions(path, name)
    : { path, session, subagent: name.slice(name.startsWith(AGENT) ? AGENT.length : 0) };
}

const AGENT = "agent-";

/** Some 2.0 versions put subagents' transcripts beside those of the sessions, which only the records name. */
function besideSessions(path: string, name: string): ClaudeFile {
  return name.startsWith(AGENT)
    ? { path, session: name, subagent: name.slice(AGENT.length), isSessionInside: true }
    : { path, session: name };
}
