import type { Json, JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { agentKind } from "../logs/agents.ts";
import { claudeFile } from "../logs/claude-code/index.ts";
import { type AgentGraph, buildGraph } from "../logs/graph/build.ts";
import { type FileEvent, FileEvents } from "../logs/graph/file-events.ts";
import { toDot, toHtml } from "../logs/graph/formats.ts";
import { feed } from "../logs/read-file.ts";
import type { SessionSummary } from "../logs/summary.ts";
import { scanSummary } from "../logs/summary-scan.ts";
import type { LogSource } from "../ports/log-source.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { readMoment } from "./moment.ts";
import { LOG_FLAGS } from "./scan.ts";
import { answer, list, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const FORMATS = ["json", "dot", "html"] as const;

export const graph: Command = {
  path: ["graph"],
  group: "Logs",
  brief: "Which agent launched which, and who read what another wrote",
  details:
    "From the agents' own logs. Edges that a log states are verified, those told from where files lie heuristic.",
  args: [],
  flags: {
    project: { kind: "text", brief: "Only sessions in this folder and below", placeholder: "DIR" },
    session: { kind: "text", brief: "Only this agent session and what belongs to it", placeholder: "ID" },
    since: { kind: "text", brief: "Sessions that were at work since (14d)", placeholder: "WHEN" },
    format: { kind: "choice", brief: "What to print (json)", choices: FORMATS },
    out: { kind: "text", brief: "Write to this file instead", placeholder: "FILE" },
    noCache: LOG_FLAGS.noCache,
  },
  output: answer("graph", {
    nodes: list(
      object({
        id: text,
        agent: text,
        kind: oneOf("session", "subagent"),
        models: list(text),
        cwd: orNull(text),
        branch: orNull(text),
        first_at: orNull(text),
        last_at: orNull(text),
        calls: whole,
      }),
    ),
    edges: list(
      object({
        from: text,
        to: text,
        kind: oneOf("spawn", "fork", "artifact"),
        tier: oneOf("verified", "heuristic"),
        path: orNull(text),
      }),
    ),
    reads_without_writes: whole,
    out: orNull(text),
    "text?": text,
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const since = readMoment(flags.text("since") ?? "14d", context.now());
  if (!since.ok) return since;
  const access = await context.logs();
  const ports = access.ports(!flags.is("noCache"));
  const scanned = await scanSummary(ports, access.env, context.now());
  const sessions = wanted(scanned.sessions, {
    project: flags.text("project"),
    session: flags.text("session"),
    sinceMs: flags.text("session") === undefined ? Date.parse(since.value ?? "") : 0,
  });
  if (sessions.length === 0) {
    return fail("no-such-session", "no agent session matches", {
      hint: "loopwright analyze --all --by project",
    });
  }
  const built = buildGraph(sessions, await eventsOf(ports.source, sessions));
  const format = flags.text("format") ?? "json";
  const body = { ...view(built), out: flags.text("out") ?? null };
  const words =
    format === "dot"
      ? toDot(built)
      : format === "html"
        ? toHtml(built)
        : `${JSON.stringify(view(built), null, 1)}\n`;
  const out = flags.text("out");
  if (out !== undefined) {
    const written = await context.files.write(out, words);
    if (!written.ok) return written;
  }
  const json = {
    schema: "loopwright.graph/1",
    ok: true,
    ...body,
    ...(out === undefined ? { text: words } : {}),
  };
  return ok({ exit: ExitCode.ok, json });
}

interface Wanted {
  readonly project: string | undefined;
  readonly session: string | undefined;
  readonly sinceMs: number;
}

function wanted(
  sessions: readonly SessionSummary[],
  { project, session, sinceMs }: Wanted,
): SessionSummary[] {
  const folder = project?.replace(/\/+$/, "");
  return sessions.filter((entry) => {
    if (session !== undefined)
      return [entry.id, entry.root, entry.parent, entry.forkedFrom].includes(session);
    if ((entry.lastAtMs ?? 0) < sinceMs) return false;
    return folder === undefined || entry.cwd === folder || (entry.cwd ?? "").startsWith(`${folder}/`);
  });
}

async function eventsOf(source: LogSource, sessions: readonly SessionSummary[]): Promise<FileEvent[]> {
  const events: FileEvent[] = [];
  for (const session of sessions) {
    for (const path of session.files) {
      const isClaude = agentKind(session.agent).agent === "claude-code";
      const parser = new FileEvents(session.id, isClaude ? claudeFile(path).subagent : undefined);
      await feed(source, { path }, 0, parser, []);
      events.push(...parser.finish());
    }
  }
  return events;
}

function view(built: AgentGraph): { [key: string]: Json } {
  const at = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString();
  return {
    nodes: built.nodes.map(
      (node): JsonObject => ({
        id: node.id,
        agent: node.agent,
        kind: node.kind,
        models: node.models,
        cwd: node.cwd ?? null,
        branch: node.branch ?? null,
        first_at: at(node.firstAtMs),
        last_at: at(node.lastAtMs),
        calls: node.calls,
      }),
    ),
    edges: built.edges.map((edge): JsonObject => ({ ...edge, path: edge.path ?? null })),
    reads_without_writes: built.readsWithoutWrites,
  };
}
