import type { Json, JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { ocpToContract } from "../formats/ocp/index.ts";
import type { AgentGraph } from "../logs/graph/build.ts";
import { toDot, toHtml } from "../logs/graph/formats.ts";
import type { SessionSummary } from "../logs/summary.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags, wholePath } from "./flag-values.ts";
import { documentOf } from "./graph-document.ts";
import { nodePrices, readGraph } from "./graph-read.ts";
import { LOG_FLAGS, scanFor } from "./log-scan.ts";
import { readMoment } from "./moment.ts";
import { answer, list, number, object, oneOf, orNull, text, whole } from "./schema.ts";
import { pricesFor } from "./spend-view.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const FORMATS = ["text", "json", "dot", "html", "ocp", "run"] as const;

export const graph: Command = {
  path: ["graph"],
  group: "Logs",
  brief: "Which agent launched which, and who read what another wrote",
  details:
    "From the agents' own logs. Edges that a log states are verified; those told from times, places and the text of shell commands are heuristic. As ocp it is a run document with the workflow that the sessions show, which `run import` takes; run is the older contract file.",
  args: [],
  flags: {
    project: { kind: "text", brief: "Only sessions in this folder and below", placeholder: "DIR" },
    session: { kind: "text", brief: "Only this agent session and what belongs to it", placeholder: "ID" },
    since: { kind: "text", brief: "Sessions that were at work since (14d)", placeholder: "WHEN" },
    format: { kind: "choice", brief: "What to print (text; json with --out)", choices: FORMATS },
    out: { kind: "text", brief: "Write to this file instead", placeholder: "FILE" },
    ...LOG_FLAGS,
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
        role: orNull(text),
        role_tier: orNull(oneOf("reported", "heuristic")),
        phase: orNull(oneOf("build", "post")),
        cost_usd: orNull(number),
      }),
    ),
    edges: list(
      object({
        from: text,
        to: text,
        kind: oneOf("spawn", "fork", "launch", "artifact"),
        tier: oneOf("verified", "heuristic"),
        path: orNull(text),
        lag_s: orNull(number),
      }),
    ),
    artifacts: list(
      object({
        path: text,
        kind: text,
        writers: list(text),
        readers: list(text),
        writes: whole,
        reads: whole,
      }),
    ),
    reads_without_writes: whole,
    launches_without_session: whole,
    out: orNull(text),
    "text?": text,
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const since = readMoment(flags.text("since") ?? "14d", context.now());
  if (!since.ok) return since;
  const reading = await scanFor(context, flags);
  if (!reading.ok) return reading;
  const { access, ports, scanned } = reading.value;
  const isWindowed = flags.text("session") === undefined && flags.texts("logs").length === 0;
  const project = flags.text("project");
  const sessions = wanted(scanned.sessions, {
    project: project === undefined ? undefined : wholePath(context.cwd, project),
    session: flags.text("session"),
    sinceMs: isWindowed || flags.text("since") !== undefined ? Date.parse(since.value ?? "") : 0,
  });
  if (sessions.length === 0) {
    return fail("no-such-session", "no agent session matches", {
      hint: "loopwright analyze --all --by project",
    });
  }
  const prices = await pricesFor(access, sessions, flags.text("prices"));
  if (!prices.ok) return prices;
  const built = await readGraph(ports.source, sessions);
  const seen = view(built, nodePrices(sessions, prices.value));
  const out = flags.text("out");
  const format = flags.text("format") ?? (out === undefined ? "text" : "json");
  const words = await textOf(format === "text" && out !== undefined ? "json" : format, built, seen, () =>
    documentOf(context, built, sessions, prices.value, "loopwright/graph"),
  );
  if (!words.ok) return words;
  if (out !== undefined) {
    const written = await context.files.write(out, words.value ?? "");
    if (!written.ok) return written;
  }
  const json = {
    schema: "loopwright.graph/1",
    ok: true,
    ...seen,
    out: out ?? null,
    ...(out === undefined && words.value !== undefined ? { text: words.value } : {}),
  };
  return ok({ exit: ExitCode.ok, json });
}

async function textOf(
  format: string,
  built: AgentGraph,
  seen: JsonObject,
  document: () => ReturnType<typeof documentOf>,
): Promise<Result<string | undefined>> {
  // Faces draw it themselves.
  if (format === "text") return ok(undefined);
  if (format === "dot") return ok(toDot(built));
  if (format === "html") return ok(toHtml(built));
  if (format === "json") return ok(`${JSON.stringify(seen, null, 1)}\n`);
  const made = document();
  if (!made.ok || format === "ocp") return made.ok ? ok(made.value.text) : made;
  return ok(`${JSON.stringify(ocpToContract(JSON.parse(made.value.text)), null, 1)}\n`);
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

function view(built: AgentGraph, microUsd: ReadonlyMap<string, number>): { [key: string]: Json } {
  const at = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString();
  const dollars = (id: string): number | null => {
    const known = microUsd.get(id);
    return known === undefined ? null : known / 1e6;
  };
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
        role: node.role?.value ?? null,
        role_tier: node.role?.tier ?? null,
        phase: node.phase ?? null,
        cost_usd: dollars(node.id),
      }),
    ),
    edges: built.edges.map(
      ({ from, to, kind, tier, path, lagMs }): JsonObject => ({
        from,
        to,
        kind,
        tier,
        path: path ?? null,
        lag_s: lagMs === undefined ? null : lagMs / 1000,
      }),
    ),
    artifacts: built.artifacts.map(
      ({ path, kind, writers, readers, writes, reads }): JsonObject => ({
        path,
        kind,
        writers,
        readers,
        writes,
        reads,
      }),
    ),
    reads_without_writes: built.readsWithoutWrites,
    launches_without_session: built.launchesWithoutSession,
  };
}
