import type { LogFile, LogGroup, LogSource, LogTree } from "../ports/log-source.ts";
import { AGENT_KINDS } from "./agents.ts";
import type { AgentName, ReadProblem } from "./call.ts";
import type { LogEnvironment } from "./environment.ts";
import { agentOfFile, SNIFF_BYTES } from "./tell-agent.ts";

export interface ListedGroups {
  readonly groups: LogGroup[];
  readonly problems: ReadProblem[];
  readonly files: LogFile[];
}

/** All log files by the session or thread that they belong to. */
export async function listGroups(source: LogSource, env: LogEnvironment): Promise<ListedGroups> {
  const listed: ListedGroups = { groups: [], problems: [], files: [] };
  if (env.only !== undefined) await listNamed(source, env.only, listed);
  else {
    for (const kind of AGENT_KINDS) {
      const { files, problems } = await source.list(kind.trees(env));
      addFiles(listed, kind.agent, files, problems);
    }
  }
  return listed;
}

/** Named files and what lies below named folders; whose they are is told by name and first bytes. */
async function listNamed(source: LogSource, paths: readonly string[], listed: ListedGroups): Promise<void> {
  const { files, problems } = await source.list(paths.flatMap(treesOf));
  const byAgent = new Map<AgentName, LogFile[]>();
  for (const file of files) {
    const agent = agentOfFile(file.path, await firstBytes(source, file));
    if (agent !== undefined) byAgent.set(agent, [...(byAgent.get(agent) ?? []), file]);
  }
  listed.problems.push(...problems);
  for (const [agent, own] of byAgent) addFiles(listed, agent, own, []);
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

function addFiles(
  listed: ListedGroups,
  agent: AgentName,
  files: readonly LogFile[],
  problems: readonly ReadProblem[],
): void {
  const kind = AGENT_KINDS.find((entry) => entry.agent === agent);
  listed.problems.push(...problems);
  listed.files.push(...files);
  const byId = new Map<string, LogFile[]>();
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const id = kind?.group(file.path) ?? file.path;
    const group = byId.get(id);
    if (group === undefined) byId.set(id, [file]);
    else group.push(file);
  }
  for (const [id, own] of byId) listed.groups.push({ agent, id, files: own });
}
