import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logFiles } from "../../src/adapters/log-files/index.ts";
import type { PriceRow, PriceTable, Rates } from "../../src/formats/prices/index.ts";
import type { Call, SessionLog } from "../../src/logs/call.ts";
import { type CallPrices, createPrices } from "../../src/logs/prices/index.ts";
import { type LogScan, scanLogs } from "../../src/logs/scan.ts";
import { sharedData } from "../golden/shared-data.ts";

/** Every set of real logs gives exactly the bill that its expected.json states. */
const corpus = sharedData("corpus/logs");

interface Tally {
  calls: number;
  input: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
  output: number;
  reasoning: number;
}
type Tallies = Readonly<Record<string, Tally>>;
interface ExpectedSession {
  readonly id: string;
  readonly main?: Tallies;
  readonly byModel: Tallies;
  readonly subagents?: readonly { readonly id: string; readonly byModel: Tallies }[];
  readonly costUSD?: number;
  readonly unloggedCostUSD?: number;
  readonly cwd?: string;
  readonly gitBranch?: string;
  readonly historyCopiedFrom?: readonly string[];
  readonly sessionId?: string;
  readonly forkedFrom?: string | null;
  readonly parentThread?: string | null;
  readonly source?: string | null;
  readonly archived?: boolean;
  readonly tier?: string | null;
}
interface Expected {
  readonly configDirs?: readonly string[];
  readonly sessions?: readonly ExpectedSession[];
  readonly threads?: readonly ExpectedSession[] | Readonly<Record<string, Tallies>>;
  readonly totals: {
    readonly byModel: Tallies;
    readonly costUSD?: number;
    readonly unloggedCostUSD?: number;
  };
  readonly skippedLines?: number;
  readonly outputIncompleteMessages?: number;
  readonly recordedCostUSD?: number;
}

interface CorpusRates {
  readonly input: number;
  readonly write5m?: number;
  readonly write1h?: number;
  readonly read: number;
  readonly output: number;
}
interface CorpusPrices {
  readonly webSearchPerCall: number;
  readonly models: Readonly<
    Record<
      string,
      CorpusRates & {
        readonly longContext?: CorpusRates & { readonly above: number };
        readonly tiers?: Readonly<Record<string, number>>;
      }
    >
  >;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8"));
}

function ratesOf(rates: CorpusRates): Rates {
  const { input, write5m, write1h, read, output } = rates;
  return {
    input,
    ...(write5m === undefined ? {} : { write5m }),
    ...(write1h === undefined ? {} : { write1h }),
    read,
    output,
  };
}

function corpusPrices(corpus: string): CallPrices {
  const file = readJson<CorpusPrices>(join(corpus, "prices.json"));
  const models: Record<string, PriceRow[]> = {};
  for (const [model, entry] of Object.entries(file.models)) {
    const long = entry.longContext;
    models[model] = [
      {
        rates: ratesOf(entry),
        longContext: long === undefined ? [] : [{ aboveTokens: long.above, rates: ratesOf(long) }],
        tiers: entry.tiers ?? {},
        source: "corpus",
        isGuess: false,
      },
    ];
  }
  const table: PriceTable = {
    date: "2026-11-29",
    source: "corpus",
    webSearchUsd: file.webSearchPerCall,
    models,
  };
  return createPrices(table);
}

async function scan(dir: string, agent: string): Promise<{ expected: Expected; scan: LogScan }> {
  const expected = readJson<Expected>(join(dir, "expected.json"));
  const dirs = (expected.configDirs ?? [".claude"]).map((name) => join(dir, name));
  const variables =
    agent === "codex"
      ? { CODEX_HOME: join(dir, ".codex"), CLAUDE_CONFIG_DIR: join(dir, "none") }
      : { CLAUDE_CONFIG_DIR: dirs.join(","), CODEX_HOME: join(dir, "none") };
  return { expected, scan: await scanLogs(logFiles(), { homeDir: dir, variables }) };
}

function tally(calls: readonly Call[]): Tallies {
  const byModel: Record<string, Tally> = {};
  for (const { model, usage } of calls) {
    byModel[model] ??= {
      calls: 0,
      input: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      cacheRead: 0,
      output: 0,
      reasoning: 0,
    };
    const sum = byModel[model];
    sum.calls += 1;
    sum.input += usage.inputTokens ?? 0;
    sum.cacheWrite5m += usage.cacheWrite5mTokens ?? 0;
    sum.cacheWrite1h += usage.cacheWrite1hTokens ?? 0;
    sum.cacheRead += usage.cacheReadTokens ?? 0;
    sum.output += usage.outputTokens ?? 0;
    sum.reasoning += usage.reasoningTokens ?? 0;
  }
  return byModel;
}

function microUsd(
  prices: CallPrices,
  calls: readonly Parameters<CallPrices["priceCalls"]>[0][number][],
): number {
  const cost = prices.priceCalls(calls, "logged");
  if (cost.kind === "unknown") throw new Error(`no price for ${cost.model}`);
  return cost.microUsd;
}

function expectSession(found: SessionLog, wanted: ExpectedSession, prices: CallPrices): void {
  expect(tally(found.calls)).toEqual(wanted.byModel);
  if (wanted.main !== undefined) {
    const agents = new Set(wanted.subagents?.map((agent) => agent.id));
    expect(tally(found.calls.filter((call) => !agents.has(call.subagent ?? "")))).toEqual(wanted.main);
  }
  for (const agent of wanted.subagents ?? []) {
    expect(tally(found.calls.filter((call) => call.subagent === agent.id))).toEqual(agent.byModel);
  }
  if (wanted.costUSD !== undefined) {
    expect(microUsd(prices, found.calls)).toBe(Math.round(wanted.costUSD * 1e6));
  }
  if (typeof wanted.unloggedCostUSD === "number") {
    const unlogged = (found.unlogged ?? []).map((entry) => ({ ...entry, atMs: found.lastAtMs ?? 0 }));
    expect(microUsd(prices, unlogged)).toBe(Math.round(wanted.unloggedCostUSD * 1e6));
  }
  if (wanted.cwd !== undefined) expect(found.cwd).toBe(wanted.cwd);
  if (wanted.gitBranch !== undefined) expect(found.branch ?? "").toBe(wanted.gitBranch ?? "");
  if (wanted.historyCopiedFrom !== undefined) expect([found.forkedFrom]).toEqual(wanted.historyCopiedFrom);
  if (wanted.sessionId !== undefined) expect(found.root).toBe(wanted.sessionId);
  if (wanted.forkedFrom !== undefined) expect(found.forkedFrom ?? null).toBe(wanted.forkedFrom);
  if (wanted.parentThread !== undefined) expect(found.parent ?? null).toBe(wanted.parentThread);
  if (wanted.source !== undefined) expect(found.source ?? null).toBe(wanted.source);
  if (wanted.archived !== undefined) expect(found.isArchived).toBe(wanted.archived);
  if (wanted.tier !== undefined && found.calls.length > 0)
    expect(found.calls[0]?.tier ?? null).toBe(wanted.tier);
}

function expectedSessions(expected: Expected): readonly ExpectedSession[] {
  const { sessions, threads } = expected;
  if (sessions !== undefined) return sessions;
  if (threads === undefined) return [];
  if (isList(threads)) return threads;
  return Object.entries(threads).map(([id, byModel]) => ({ id, byModel }));
}

function isList(threads: NonNullable<Expected["threads"]>): threads is readonly ExpectedSession[] {
  return Array.isArray(threads);
}

if (corpus === undefined) {
  test.skip("the logs of every set give the stated tokens and cost (no log corpus here)", () => {});
} else {
  const prices = corpusPrices(corpus);
  for (const agent of ["claude-code", "codex"]) {
    for (const set of readdirSync(join(corpus, agent)).sort()) {
      test(`the logs of ${agent}/${set} give the stated tokens and cost per session and in total`, async () => {
        const { expected, scan: found } = await scan(join(corpus, agent, set), agent);
        const logs = agent === "codex" ? found.codex : found.claudeCode;
        const calls = logs.sessions.flatMap((session) => session.calls);
        expect(tally(calls)).toEqual(expected.totals.byModel);
        const wanted = expectedSessions(expected);
        if (wanted.length > 0) {
          expect(logs.sessions.map((session) => session.id).sort()).toEqual(
            wanted.map(({ id }) => id).sort(),
          );
        }
        for (const session of wanted) {
          const match = logs.sessions.find(({ id }) => id === session.id);
          if (match === undefined) throw new Error(`session ${session.id} is missing`);
          expectSession(match, session, prices);
        }
        if (expected.totals.costUSD !== undefined) {
          expect(microUsd(prices, calls)).toBe(Math.round(expected.totals.costUSD * 1e6));
        }
        if (expected.skippedLines !== undefined)
          expect(logs.damaged.lines).toHaveLength(expected.skippedLines);
        if (expected.outputIncompleteMessages !== undefined) {
          expect(calls.filter((call) => call.isOutputIncomplete)).toHaveLength(
            expected.outputIncompleteMessages,
          );
        }
        if (expected.recordedCostUSD !== undefined) {
          expect(calls.reduce((sum, call) => sum + (call.recordedUsd ?? 0), 0)).toBeCloseTo(
            expected.recordedCostUSD,
            9,
          );
        }
        expect(found.problems).toEqual([]);
      });
    }
  }
}
