import type { LogFile, LogGroup, LogSource, LogTree } from "../ports/log-source.ts";
import { AGENT_PLACES } from "./agent-places.ts";
import type { AgentName, ReadProblem } from "./call.ts";
import type { LogEnvironment } from "./environment.ts";
import { agentOfFile, SNIFF_BYTES } from "./tell-agent.ts";

export interface ListedLogs {
  readonly agents: readonly { readonly agent: AgentName; readonly files: readonly LogFile[] }[];
  readonly problems: readonly ReadProblem[];
}

/** All log files by the agent that wrote them. */
export async function listLogs(source: LogSource, env: LogEnvironment): Promise<ListedLogs> {
  if (env.only !== undefined) return listNamed(source, env.only);
  const agents = [];
  const problems: ReadProblem[] = [];
  for (const place of AGENT_PLACES) {
    const listing = await source.list(place.trees(env));
    agents.push({ agent: place.agent, files: listing.files });
    problems.push(...listing.problems);
  }
  return { agents, problems };
}

export function sizeOf({ agents }: ListedLogs): { readonly files: number; readonly bytes: number } {
  let [files, bytes] = [0, 0];
  for (const own of agents) {
    files += own.files.length;
    for (const file of own.files) bytes += file.sizeBytes;
  }
  return { files, bytes };
}

/** Files this young may change again without their time telling. */
const RACY_MS = 2000;

export function areYoung(files: readonly LogFile[], nowMs: number): boolean {
  return files.some((file) => file.mtimeMs > nowMs - RACY_MS);
}

/** The files by the session or thread that they belong to. */
export function groupsOf({ agents }: ListedLogs): LogGroup[] {
  const groups: LogGroup[] = [];
  for (const { agent, files } of agents) addGroups(groups, agent, files);
  return groups;
}

/** Named files and what lies below named folders; whose they are is told by name and first bytes. */
async function listNamed(source: LogSource, paths: readonly string[]): Promise<ListedLogs> {
  const { files, problems } = await source.list(paths.flatMap(treesOf));
  const byAgent = new Map<AgentName, LogFile[]>();
  for (const file of files) {
    const agent = agentOfFile(file.path, await firstBytes(source, file));
    if (agent !== undefined) byAgent.set(agent, [...(byAgent.get(agent) ?? []), file]);
  }
  return { agents: [...byAgent].map(([agent, own]) => ({ agent, files: own })), problems };
}

function treesOf(path: string): LogTree[] {
  const plain = path.replace(/[\\/]+$/, "");
  const cut = Math.max(plain.lastIndexOf("/"), plain.lastIndexOf("\\"));
  const name = plain.slice(cut + 1);
  return [
    { root: plain, wants: () => true },
    {
      root: plain.slice(0, Math.max(cut, 1)),
      wants: (entry, kind) => kind === "file" && (entry === name || entry === `${name}-wal`),
    },
  ];
}

async function firstBytes(source: LogSource, file: LogFile): Promise<string> {
  if (/\.db(-wal|-shm)?$/.test(file.path)) return "";
  try {
    for await (const chunk of source.read(file, 0, SNIFF_BYTES)) return Buffer.from(chunk).toString("latin1");
  } catch {
    // Whoever reads it whole reports it.
  }
  return "";
}

function addGroups(groups: LogGroup[], agent: AgentName, files: readonly LogFile[]): void {
  const place = AGENT_PLACES.find((entry) => entry.agent === agent);
  const byId = new Map<string, LogFile[]>();
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const id = place?.group(file.path) ?? file.path;
    const group = byId.get(id);
    if (group === undefined) byId.set(id, [file]);
    else group.push(file);
  }
  for (const [id, own] of byId) groups.push({ agent, id, files: own });
}
