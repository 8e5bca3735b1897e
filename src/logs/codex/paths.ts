import type { LogTree } from "../../ports/log-source.ts";
import type { LogEnvironment } from "../environment.ts";
import { nameOf, partsOf } from "../path-parts.ts";
import type { CodexFile } from "./facts.ts";

const ROLLOUT = /^rollout-.*\.jsonl(\.zst)?$/;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ID_LENGTH = 36;
const ARCHIVE = "archived_sessions";
const FOLDERS = ["sessions", ARCHIVE];

/** `$CODEX_HOME`, which replaces the default `~/.codex`. */
export function codexHome(env: LogEnvironment): string {
  const named = env.variables["CODEX_HOME"];
  return named === undefined || named.trim() === "" ? `${env.homeDir}/.codex` : named.trim();
}

export function codexTrees(env: LogEnvironment): LogTree[] {
  return trees(env, (name) => ROLLOUT.test(name));
}

/** Only the rollouts whose name carries one of the threads' ids. */
export function codexThreadTrees(env: LogEnvironment, threads: readonly string[]): LogTree[] {
  return trees(env, (name) => ROLLOUT.test(name) && threads.some((thread) => name.includes(thread)));
}

function trees(env: LogEnvironment, wantsFile: (name: string) => boolean): LogTree[] {
  return FOLDERS.map((folder) => ({
    root: `${codexHome(env)}/${folder}`,
    wants: (path, kind) => kind === "folder" || wantsFile(path.split("/").at(-1) ?? ""),
  }));
}

/** Reads the place of a rollout from its path. */
export function codexFile(path: string): CodexFile {
  const isCompressed = path.endsWith(".zst");
  const name = nameOf(path, isCompressed ? ".jsonl.zst" : ".jsonl");
  const id = name.slice(-ID_LENGTH);
  return {
    path,
    thread: isThreadId(id) ? id : name,
    isArchived: path.includes(ARCHIVE) && partsOf(path).includes(ARCHIVE),
    isCompressed,
  };
}

export function isThreadId(text: string): boolean {
  return ID.test(text);
}
