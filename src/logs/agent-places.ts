import type { LogTree } from "../ports/log-source.ts";
import type { AgentName } from "./call.ts";
import { claudeFile, claudeTrees } from "./claude-code/paths.ts";
import { codexFile, codexTrees } from "./codex/paths.ts";
import { databaseGroup } from "./databases.ts";
import type { LogEnvironment } from "./environment.ts";
import { geminiGroup, geminiTrees } from "./gemini-cli/paths.ts";
import { opencodeTrees } from "./opencode/paths.ts";
import { atriumTrees, bbTrees, orcaTrees, paseoGroup, paseoTrees } from "./orchestrators/index.ts";
import { ompTrees, piGroup, piTrees } from "./pi/paths.ts";

/** Where one agent's logs lie. Apart from their readers, which are not needed where nothing is new. */
export interface AgentPlace {
  readonly agent: AgentName;
  trees(env: LogEnvironment): readonly LogTree[];
  /** Files of one group are read together; told from the path alone. */
  group(path: string): string;
}

export const AGENT_PLACES: readonly AgentPlace[] = [
  { agent: "claude-code", trees: claudeTrees, group: (path) => claudeFile(path).session },
  { agent: "codex", trees: codexTrees, group: (path) => codexFile(path).thread },
  { agent: "pi", trees: piTrees, group: piGroup },
  { agent: "omp", trees: ompTrees, group: piGroup },
  { agent: "gemini-cli", trees: geminiTrees, group: geminiGroup },
  { agent: "opencode", trees: opencodeTrees, group: databaseGroup },
  // Exports lie wherever a collector was told to put them.
  { agent: "otel-genai", trees: () => [], group: (path) => path },
  { agent: "orca", trees: orcaTrees, group: databaseGroup },
  { agent: "bb", trees: bbTrees, group: databaseGroup },
  { agent: "atrium", trees: atriumTrees, group: databaseGroup },
  { agent: "paseo", trees: paseoTrees, group: paseoGroup },
];
