import type { AgentName } from "./call.ts";

/** Enough for the first members of a first record. */
export const SNIFF_BYTES = 512;

const BY_NAME: readonly (readonly [RegExp, AgentName])[] = [
  [/^rollout-.*\.jsonl(\.zst)?$/, "codex"],
  [/^opencode(-[\w.-]+)?\.db(-wal)?$/, "opencode"],
  [/^orchestration\.db(-wal)?$/, "orca"],
  [/^bb\.db(-wal)?$/, "bb"],
  [/^tasks\.db(-wal)?$/, "atrium"],
  [/^session-.*\.json$/, "gemini-cli"],
];

/** Whose log a file is, when nothing but the file is known; undefined when it is nobody's. */
export function agentOfFile(path: string, start: string): AgentName | undefined {
  const name = path.split(/[\\/]/).at(-1) ?? "";
  if (name.endsWith(".meta.json") || name === "sessions-index.json") return undefined;
  const named = BY_NAME.find(([pattern]) => pattern.test(name));
  if (named !== undefined) return named[1];
  if (/^\s*\{\s*"resourceSpans"/.test(start)) return "otel-genai";
  if (name.endsWith(".json"))
    return start.includes('"id"') && start.includes('"provider"') ? "paseo" : undefined;
  if (!name.endsWith(".jsonl")) return undefined;
  if (/"type":\s*"(session|title)"/.test(start)) return path.includes("/.omp/") ? "omp" : "pi";
  return "claude-code";
}
