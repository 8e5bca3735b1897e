import { fail, ok, type Result } from "../core/result.ts";
import type { AgentName } from "../logs/call.ts";
import type { SessionSummary } from "../logs/summary.ts";
import { adaptRows, HARNESS_RUNS, ROW_ANSWER } from "./adapt-rows.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags, wholePath } from "./flag-values.ts";
import { documentOf } from "./graph-document.ts";
import { nodePrices, readGraph } from "./graph-read.ts";
import { LOG_FLAGS, scanFor } from "./log-scan.ts";
import { readMoment } from "./moment.ts";
import { answer, list, object, orNull, text, whole } from "./schema.ts";
import { pricesFor } from "./spend-view.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const NAMES: readonly AgentName[] = [
  "atrium",
  "bb",
  "claude-code",
  "codex",
  "gemini-cli",
  "omp",
  "opencode",
  "orca",
  "otel-genai",
  "paseo",
  "pi",
];

export const adapt: Command = {
  path: ["adapt"],
  group: "Logs",
  brief: "Turn what one agent or orchestrator keeps into a run document",
  details:
    "One OCP document with a node and an attempt for each session, their tokens and dollars, who started whom, and the workflow that they show. Labels and numbers only, no text of anybody. `run import FILE` takes it. harness-runs takes a file of rollouts, one JSON line each, and makes a document of each.",
  args: [
    { name: "name", brief: `One of ${NAMES.join(", ")}, ${HARNESS_RUNS}`, required: true },
    { name: "file", brief: `Rows of ${HARNESS_RUNS}`, required: false },
  ],
  flags: {
    out: { kind: "text", brief: "Write to this file instead; for rows, a folder", placeholder: "PATH" },
    store: {
      kind: "text",
      brief: "Read this file or folder instead of the usual place",
      placeholder: "PATH",
      repeatable: true,
    },
    session: { kind: "text", brief: "Only this session", placeholder: "ID", repeatable: true },
    project: {
      kind: "text",
      brief: "Only sessions in this folder and below",
      placeholder: "DIR",
      repeatable: true,
    },
    since: { kind: "text", brief: "Sessions that began then or later", placeholder: "WHEN" },
    until: { kind: "text", brief: "Sessions that began then or earlier", placeholder: "WHEN" },
    limit: { kind: "count", brief: "At most so many, the latest", placeholder: "N", atLeast: 1 },
    prices: LOG_FLAGS.prices,
    noCache: LOG_FLAGS.noCache,
  },
  output: answer("adapt", {
    name: text,
    "run?": text,
    "sessions?": whole,
    /** Kept although a filter could not be applied: the source does not say. */
    "undecided?": list(object({ filter: text, sessions: whole })),
    "damaged_lines?": whole,
    ...ROW_ANSWER,
    out: orNull(text),
    "text?": text,
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  if (input.args[0] === HARNESS_RUNS) return adaptRows(context, input);
  if (input.args[1] !== undefined) return fail("bad-flag", `name the log with --store ${input.args[1]}`);
  const name = NAMES.find((known) => known === input.args[0]);
  if (name === undefined) {
    return fail("bad-input", `there is no adapter ${String(input.args[0])}`, {
      hint: `use one of ${NAMES.join(", ")}, ${HARNESS_RUNS}`,
    });
  }
  const filters = readFilters(context, input);
  if (!filters.ok) return filters;
  const reading = await scanFor(context, flags, flags.texts("store"));
  if (!reading.ok) return reading;
  const { access, ports, scanned } = reading.value;
  const own = scanned.sessions.filter(({ agent }) => agent === name);
  const { sessions, undecided } = selected(own, filters.value);
  if (sessions.length === 0) {
    return fail("no-such-session", `${name} has no session that matches`, {
      hint: own.length > 0 ? "ask for less" : "name where it keeps them with --store",
    });
  }
  const prices = await pricesFor(access, sessions, flags.text("prices"));
  if (!prices.ok) return prices;
  const graph = await readGraph(ports.source, sessions);
  const made = documentOf(context, graph, nodePrices(sessions, prices.value), `loopwright/adapter-${name}`);
  if (!made.ok) return made;
  const out = flags.text("out");
  const written = out === undefined ? ok(undefined) : await context.files.write(out, made.value.text);
  if (!written.ok) return written;
  const document: { readonly run: { readonly id: string } } = JSON.parse(made.value.text);
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.adapt/1",
      ok: true,
      name,
      run: document.run.id,
      sessions: sessions.length,
      undecided,
      damaged_lines: scanned.damaged.lines.length + scanned.damaged.more,
      out: out ?? null,
      ...(out === undefined ? { text: made.value.text } : {}),
    },
  });
}

interface Filters {
  readonly ids: readonly string[];
  readonly folders: readonly string[];
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  readonly limit: number | undefined;
}

function readFilters(context: CommandContext, input: CommandInput): Result<Filters> {
  const flags = readFlags(input);
  const since = readMoment(flags.text("since"), context.now());
  if (!since.ok) return since;
  const until = readMoment(flags.text("until"), context.now());
  if (!until.ok) return until;
  const ms = (at: string | undefined): number | undefined => (at === undefined ? undefined : Date.parse(at));
  const [sinceMs, untilMs] = [ms(since.value), ms(until.value)];
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs) {
    return fail("bad-flag", "--since is after --until");
  }
  const folders = flags.texts("project").map((path) => wholePath(context.cwd, path).replace(/\/+$/, ""));
  return ok({ ids: flags.texts("session"), folders, sinceMs, untilMs, limit: flags.count("limit") });
}

interface Selected {
  readonly sessions: readonly SessionSummary[];
  readonly undecided: readonly { readonly filter: string; readonly sessions: number }[];
}

/** A filter is applied where the source has what it asks for; sessions without it are kept, and counted. */
function selected(all: readonly SessionSummary[], filters: Filters): Selected {
  const { ids, folders, sinceMs, untilMs, limit } = filters;
  const named = ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
  const inFolder = ({ cwd }: SessionSummary): boolean =>
    cwd === undefined || folders.some((folder) => cwd === folder || cwd.startsWith(`${folder}/`));
  const placed = folders.length === 0 ? named : named.filter(inFolder);
  const timed = placed.filter(({ firstAtMs }) => {
    if (firstAtMs === undefined) return true;
    return firstAtMs >= (sinceMs ?? -Infinity) && firstAtMs <= (untilMs ?? Infinity);
  });
  const sessions = limit === undefined ? timed : timed.slice(-limit);
  const count = (filter: string, isOn: boolean, isOpen: (session: SessionSummary) => boolean) => {
    const open = isOn ? sessions.filter(isOpen).length : 0;
    return open === 0 ? [] : [{ filter, sessions: open }];
  };
  return {
    sessions,
    undecided: [
      ...count("project", folders.length > 0, ({ cwd }) => cwd === undefined),
      ...count("time", (sinceMs ?? untilMs) !== undefined, ({ firstAtMs }) => firstAtMs === undefined),
    ],
  };
}
