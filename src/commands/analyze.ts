import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { type BillLine, parseBill } from "../formats/bill.ts";
import type { CallPrices } from "../logs/prices/index.ts";
import { spendBy, totalSpend } from "../logs/spend.ts";
import { type SessionSummary, SLOT_MS, type UsageRow } from "../logs/summary.ts";
import type { SummaryScan } from "../logs/summary-scan.ts";
import { PER_ACCEPTED } from "./accepted-cost.ts";
import { BILL, billView } from "./bill-view.ts";
import { EVIDENCE, evidenceOf } from "./evidence.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { GRADING, gradingOf } from "./log-grading.ts";
import { LOG_FLAGS, scanFor } from "./log-scan.ts";
import { readMoment } from "./moment.ts";
import { problemsView } from "./scan.ts";
import { answer, list, object, oneOf, orNull, text, whole } from "./schema.ts";
import { pricesFor, SPEND, spendView, within } from "./spend-view.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const DIMENSIONS = ["day", "model", "project", "agent", "branch", "session"] as const;
type Dimension = (typeof DIMENSIONS)[number];
const DEFAULT_DAYS = "30d";

export const analyze: Command = {
  path: ["analyze"],
  group: "Logs",
  brief: "What agent work cost in a period, for each accepted run, and how that is known",
  details:
    "Cost comes from the agents' own logs, call by call. Whether work was accepted comes from recorded runs; sessions that no run names are counted, and said to have no outcome. With --bill it sets the logs against a provider's usage export.",
  args: [],
  flags: {
    since: {
      kind: "text",
      brief: `From when on (${DEFAULT_DAYS}): 7d, 12w, 2026-11-01`,
      placeholder: "WHEN",
    },
    until: { kind: "text", brief: "Until when (now)", placeholder: "WHEN" },
    all: { kind: "boolean", brief: "The whole history" },
    by: {
      kind: "text",
      brief: `One table each (model, project): ${DIMENSIONS.join(", ")}`,
      placeholder: "WHAT",
      repeatable: true,
    },
    project: { kind: "text", brief: "Only work in this folder and below", placeholder: "DIR" },
    bill: { kind: "text", brief: "A usage export (CSV) to compare with", placeholder: "FILE" },
    grading: {
      kind: "boolean",
      brief: "Also tell from the logs' text how work ended that no run names (reads them again)",
    },
    ...LOG_FLAGS,
  },
  output: answer("analyze", {
    from: orNull(text),
    to: text,
    zone: text,
    sessions: whole,
    ...SPEND,
    tables: list(object({ by: oneOf(...DIMENSIONS), rows: list(object({ key: text, ...SPEND })) })),
    per_accepted_usd: PER_ACCEPTED,
    evidence: EVIDENCE,
    grading: orNull(GRADING),
    not_used: list(object({ why: text, sessions: whole, calls: whole })),
    bill: orNull(BILL),
    damaged_lines: whole,
    damaged: list(object({ path: text, line: whole, reason: text })),
    unreadable: list(object({ path: text, reason: text })),
  }),
  run,
};

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const period = periodOf(context, input);
  if (!period.ok) return period;
  const dimensions = dimensionsOf(flags.texts("by"));
  if (!dimensions.ok) return dimensions;
  const bill = await billOf(context, flags.text("bill"));
  if (!bill.ok) return bill;
  const reading = await scanFor(context, flags);
  if (!reading.ok) return reading;
  const { access, ports, scanned } = reading.value;
  const sessions = chosen(scanned.sessions, period.value, flags.text("project"));
  const prices = await pricesFor(access, sessions, flags.text("prices"));
  if (!prices.ok) return prices;
  const evidence = await evidenceOf(context, sessions, prices.value, period.value);
  if (!evidence.ok) return evidence;
  const { fromMs, toMs } = period.value;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.analyze/1",
      ok: true,
      from: Number.isFinite(fromMs) ? new Date(fromMs).toISOString() : null,
      to: new Date(toMs).toISOString(),
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      sessions: sessions.length,
      ...spendView(totalSpend(sessions, prices.value)),
      tables: dimensions.value.map((by) => ({ by, rows: tableOf(by, sessions, prices.value) })),
      ...evidence.value.view,
      grading: flags.is("grading")
        ? await gradingOf(ports.source, sessions, evidence.value.recorded, prices.value, context.now())
        : null,
      not_used: notUsed(scanned, sessions),
      bill: bill.value === undefined ? null : billView(bill.value, sessions, prices.value),
      ...problemsView(scanned),
    },
  });
}

function periodOf(context: CommandContext, input: CommandInput): Result<Period> {
  const flags = readFlags(input);
  const until = readMoment(flags.text("until"), context.now());
  if (!until.ok) return until;
  const toMs = until.value === undefined ? context.now() : Date.parse(until.value);
  if (flags.is("all")) return ok({ fromMs: Number.NEGATIVE_INFINITY, toMs });
  const since = readMoment(flags.text("since") ?? DEFAULT_DAYS, context.now());
  if (!since.ok) return since;
  const from = new Date(since.value ?? 0);
  // Whole days: a table by day must not start with a part of one.
  if (/^\d+[dw]$/.test(flags.text("since") ?? DEFAULT_DAYS)) from.setHours(24, 0, 0, 0);
  return ok({ fromMs: from.getTime(), toMs });
}

function dimensionsOf(words: readonly string[]): Result<readonly Dimension[]> {
  if (words.length === 0) return ok(["model", "project"]);
  const known = words.flatMap((word) => DIMENSIONS.find((name) => name === word) ?? []);
  if (known.length === words.length) return ok(known);
  return fail("bad-flag", "--by knows no such table", { hint: `use one of ${DIMENSIONS.join(", ")}` });
}

async function billOf(
  context: CommandContext,
  file: string | undefined,
): Promise<Result<readonly BillLine[] | undefined>> {
  if (file === undefined) return ok(undefined);
  const read = await context.readText(file);
  return read.ok ? parseBill(read.value, file) : read;
}

function chosen(
  sessions: readonly SessionSummary[],
  { fromMs, toMs }: Period,
  project: string | undefined,
): readonly SessionSummary[] {
  const wanted = within(sessions, fromMs, toMs);
  if (project === undefined) return wanted;
  const folder = project.replace(/\/+$/, "");
  return wanted
    .map((session) => ({
      ...session,
      rows: session.rows.filter((row) => {
        const at = folderOf(session, row);
        return at === folder || at.startsWith(`${folder}/`);
      }),
    }))
    .filter((session) => session.rows.length > 0);
}

function tableOf(by: Dimension, sessions: readonly SessionSummary[], prices: CallPrices): JsonObject[] {
  const rows = [...spendBy(sessions, prices, (session, row) => keyOf(by, session, row))];
  rows.sort(([a, one], [b, other]) =>
    by === "day" ? (a < b ? -1 : 1) : other.microUsd - one.microUsd || other.calls - one.calls,
  );
  return rows.map(([key, spend]) => ({ key, ...spendView(spend) }));
}

function keyOf(by: Dimension, session: SessionSummary, row: UsageRow): string {
  switch (by) {
    case "day":
      return localDay(row.slot * SLOT_MS);
    case "model":
      return row.tier === undefined ? row.model : `${row.model} (${row.tier})`;
    case "project":
      return folderOf(session, row);
    case "agent":
      return row.subagent === undefined ? session.agent : `${session.agent} sub-agents`;
    case "branch":
      return row.branch ?? session.branch ?? "no branch";
    case "session":
      return `${session.agent} ${session.root}`;
  }
}

/** Work in a worktree that the agent made belongs to the repository it was made from. */
function folderOf(session: SessionSummary, row: UsageRow): string {
  const cwd = row.cwd ?? session.cwd ?? "unknown folder";
  return cwd.replace(/\/\.claude\/worktrees\/.*$/, "");
}

function localDay(ms: number): string {
  const at = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** What was found and is not in the figures. */
function notUsed(scanned: SummaryScan, used: readonly SessionSummary[]): JsonObject[] {
  const inPeriod = new Set(used.map((session) => `${session.agent} ${session.id}`));
  const empty = scanned.sessions.filter((session) => session.rows.length === 0);
  const outside = scanned.sessions.filter(
    (session) => session.rows.length > 0 && !inPeriod.has(`${session.agent} ${session.id}`),
  );
  const callsOf = (sessions: readonly SessionSummary[]): number =>
    sessions.reduce(
      (sum, session) => sum + session.rows.reduce((calls, row) => calls + (row.usage.requests ?? 0), 0),
      0,
    );
  return [
    { why: "outside the period or project", sessions: outside.length, calls: callsOf(outside) },
    { why: "no model call in the log", sessions: empty.length, calls: 0 },
  ].filter((entry) => entry.sessions > 0);
}
