import { claudeFile } from "../logs/claude-code/index.ts";
import { type AgentGraph, buildGraph, type GraphFacts } from "../logs/graph/build.ts";
import { nodeId } from "../logs/graph/node-id.ts";
import { metaPath, readMeta, type SubagentMeta } from "../logs/graph/subagent-meta.ts";
import { type FileEvent, type LaunchCall, type TimeSpan, ToolEvents } from "../logs/graph/tool-events.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import { feed } from "../logs/read-file.ts";
import { spendBy } from "../logs/spend.ts";
import type { SessionSummary } from "../logs/summary.ts";
import type { LogSource } from "../ports/log-source.ts";

/** Agents whose logs show tool calls in a form that is known. */
const WITH_TOOLS: readonly string[] = ["claude-code", "codex", "opencode"];

/** The graph of some sessions, with what their logs say about files and commands; each file is read once. */
export async function readGraph(source: LogSource, sessions: readonly SessionSummary[]): Promise<AgentGraph> {
  const files: FileEvent[] = [];
  const launches: LaunchCall[] = [];
  const spawnedBy = new Map<string, string | undefined>();
  const subagents = new Map<string, SubagentMeta>();
  const times = new Map<string, TimeSpan>();
  const read = new Set<string>();
  for (const session of sessions) {
    if (!WITH_TOOLS.includes(session.agent)) continue;
    for (const path of session.files) {
      const subagent = session.agent === "claude-code" ? claudeFile(path).subagent : undefined;
      if (subagent !== undefined) {
        subagents.set(nodeId(session.id, subagent), await readBeside(source, path));
      }
      if (read.has(path)) continue;
      read.add(path);
      const parser = new ToolEvents(session.id, subagent, session.cwd);
      await feed(source, { path }, 0, parser, []);
      const facts = parser.finish();
      files.push(...facts.files);
      launches.push(...facts.launches);
      for (const [id, by] of facts.spawnedBy) spawnedBy.set(id, by);
      for (const [id, span] of facts.times) times.set(id, span);
    }
  }
  const facts: GraphFacts = { files, launches, spawnedBy, times, subagents };
  return buildGraph(sessions, facts);
}

async function readBeside(source: LogSource, transcript: string): Promise<SubagentMeta> {
  const parts: Uint8Array[] = [];
  const file = { path: metaPath(transcript) };
  // Versions that wrote none are read without.
  await feed(source, file, 0, { push: (chunk) => parts.push(Uint8Array.from(chunk)) }, []);
  return readMeta(Buffer.concat(parts).toString("utf8"));
}

/** Dollars of each node whose every part has a price that is no guess. */
export function nodePrices(
  sessions: readonly SessionSummary[],
  prices: CallPrices,
): ReadonlyMap<string, number> {
  const spends = spendBy(sessions, prices, (session, row) => nodeId(session.id, row.subagent));
  const known = [...spends].filter(
    ([, spend]) => spend.unpriced.length === 0 && spend.guessedMicroUsd === 0 && spend.calls > 0,
  );
  return new Map(known.map(([id, spend]) => [id, spend.microUsd]));
}
