import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { ocpToContract } from "../formats/ocp/index.ts";
import { toDot } from "../logs/graph/dot.ts";
import { toHtml } from "../logs/graph/page.ts";
import type { SessionSummary } from "../logs/summary.ts";
import { ExitCode } from "./exit-codes.ts";
import { type FlagReader, readFlags, wholePath } from "./flag-values.ts";
import { documentOf } from "./graph-document.ts";
import { type DrawnGraph, fromDocuments } from "./graph-documents.ts";
import { nodePrices, readGraph } from "./graph-read.ts";
import { graphView } from "./graph-view.ts";
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
    "From the agents' own logs. Edges that a log states are verified; those told from times, places and the text of shell commands are heuristic. As ocp it is a run document with the workflow that the sessions show, which `run import` takes; run is the older contract file. With --ocp the nodes are the attempts of recorded runs and no log is read.",
  args: [],
  flags: {
    project: { kind: "text", brief: "Only sessions in this folder and below", placeholder: "DIR" },
    session: { kind: "text", brief: "Only this agent session and what belongs to it", placeholder: "ID" },
    since: { kind: "text", brief: "Sessions that were at work since (14d)", placeholder: "WHEN" },
    ocp: {
      kind: "text",
      brief: "Show this run document (or folder of them) instead of logs",
      placeholder: "FILE",
      repeatable: true,
    },
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
        calls: orNull(whole),
        output_tokens: orNull(whole),
        role: orNull(text),
        role_tier: orNull(oneOf("reported", "heuristic")),
        phase: orNull(text),
        cost_usd: orNull(number),
      }),
    ),
    edges: list(
      object({
        from: text,
        to: text,
        kind: oneOf("spawn", "fork", "launch", "artifact", "dep", "fan_in", "retry"),
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
  const out = flags.text("out");
  const asked = flags.text("format") ?? (out === undefined ? "text" : "json");
  const format = asked === "text" && out !== undefined ? "json" : asked;
  const documents = flags.texts("ocp");
  const drawn =
    documents.length === 0 ? await fromLogs(context, flags) : await onlyDocuments(context, flags, documents);
  if (!drawn.ok) return drawn;
  const seen = graphView(drawn.value.graph, drawn.value.microUsd);
  const words = textOf(format, drawn.value, seen);
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

function textOf(format: string, drawn: DrawnGraph, seen: JsonObject): Result<string | undefined> {
  const { graph: built, microUsd, document } = drawn;
  // Faces draw it themselves.
  if (format === "text") return ok(undefined);
  if (format === "dot") return ok(toDot(built));
  if (format === "html") return ok(toHtml(built, microUsd));
  if (format === "json") return ok(`${JSON.stringify(seen, null, 1)}\n`);
  const made = document();
  if (!made.ok || format === "ocp") return made;
  return ok(`${JSON.stringify(ocpToContract(JSON.parse(made.value)), null, 1)}\n`);
}

async function onlyDocuments(
  context: CommandContext,
  flags: FlagReader,
  documents: readonly string[],
): Promise<Result<DrawnGraph>> {
  const others = ["project", "session", "since", "prices"].filter((name) => flags.text(name) !== undefined);
  if (flags.texts("logs").length > 0) others.push("logs");
  if (others.length === 0) return fromDocuments(context, documents);
  return fail("bad-flag", `--ocp reads no logs, so --${others[0]} means nothing beside it`);
}

async function fromLogs(context: CommandContext, flags: FlagReader): Promise<Result<DrawnGraph>> {
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
  const microUsd = nodePrices(sessions, prices.value);
  return ok({
    graph: built,
    microUsd,
    document: () => {
      const made = documentOf(context, built, microUsd, "loopwright/graph");
      return made.ok ? ok(made.value.text) : made;
    },
  });
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
