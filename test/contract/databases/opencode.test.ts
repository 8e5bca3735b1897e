import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { logPorts } from "../../../src/compose-logs.ts";
import type { SessionSummary } from "../../../src/logs/summary.ts";
import { type SummaryScan, scanSummary } from "../../../src/logs/summary-scan.ts";
import { buildDatabase, insert, type Tables } from "./build.ts";

const folder = mkdtempSync(join(tmpdir(), "loopwright-opencode-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Fixture {
  readonly session: Tables[string];
  readonly message: Tables[string];
  readonly part: Tables[string];
}

/** Rows that opencode 1.18.33 wrote against a model server whose bill is known. */
const { session, message, part }: Fixture = JSON.parse(
  readFileSync(new URL("opencode.json", import.meta.url), "utf8"),
);
const TABLES: Tables = { session, message, part };

function home(name: string, tables: Tables = TABLES) {
  const dir = join(folder, name);
  const database = buildDatabase(join(dir, ".local/share/opencode/opencode.db"), tables);
  const scan = (useCache = false): Promise<SummaryScan> =>
    scanSummary(
      logPorts(join(dir, "home"), name, useCache),
      { homeDir: dir, variables: {} },
      Date.now() + 1e9,
    );
  return { database, scan };
}

function tallies(sessions: readonly SessionSummary[]): unknown {
  return sessions.map(({ rows }) =>
    rows.map(({ model, usage }) => [
      model,
      usage.requests,
      usage.inputTokens,
      usage.cacheWrite5mTokens,
      usage.cacheReadTokens,
      usage.outputTokens,
      usage.reasoningTokens,
    ]),
  );
}

test("sessions of opencode have what the model server billed them for, reasoning inside output", async () => {
  const { database, scan } = home("billed");
  const { sessions, damaged } = await scan();
  expect(damaged.lines).toEqual([]);
  expect(tallies(sessions)).toEqual([
    [
      ["claude-opus-4-5", 3, 21, 8632, 2022, 60, 0],
      ["claude-haiku-4-5", 1, 9300, 300, 0, 190, 0],
    ],
    [["claude-opus-4-5", 2, 16, 15820, 15000, 367, 0]],
    [["claude-opus-4-5", 2, 7, 6310, 6100, 96, 0]],
    [["claude-opus-4-5", 1, 2048, 0, 0, 77, 0]],
    [],
    [["gpt-5", 1, 100, 0, 0, 8, 0]],
    [["gpt-5", 1, 2200, 0, 3000, 64, 21]],
  ]);
  database.close();
});

test("a fork's copies stay with the session that made the calls, and a sub-agent knows its parent", async () => {
  const { database, scan } = home("fork");
  const { sessions } = await scan();
  const [first, parent, child, fork, failed] = sessions;
  expect(fork?.forkedFrom).toBe(first?.id);
  expect(child).toMatchObject({ parent: parent?.id, root: parent?.id, cwd: "/home/dev/p" });
  expect(failed).toMatchObject({ errors: 1, rows: [] });
  database.close();
});

test("rows that stand only in the database's journal count, and are seen by the next scan", async () => {
  const { database, scan } = home("journal");
  const before = await scan(true);
  expect((await scan(true)).filesRead).toBe(0);
  const last = message.find((entry) => String(entry["id"]).startsWith("msg_22d58d8b7"));
  const data = { ...Object(last?.["data"]), time: { created: 1796057132100 } };
  insert(database, "message", { ...last, id: "msg_new", data });
  const after = await scan(true);
  const calls = (scanned: SummaryScan): number =>
    scanned.sessions.flatMap(({ rows }) => rows).reduce((sum, { usage }) => sum + (usage.requests ?? 0), 0);
  expect(calls(after)).toBe(calls(before) + 1);
  database.close();
});

test("a database without a table that is needed is named, and costs nothing else", async () => {
  const { database, scan } = home("other-version", { session, message });
  const { sessions, damaged } = await scan();
  expect(sessions).toHaveLength(7);
  expect(damaged.lines).toMatchObject([{ reason: "no such table: part" }]);
  database.close();
});

test("a count that cannot be one rejects its row only", async () => {
  const [first, second, ...rest] = message;
  const bad = { ...second, data: { ...Object(second?.["data"]), tokens: { input: -5, output: 1 } } };
  const { database, scan } = home("bad-count", { session, message: [first ?? {}, bad, ...rest], part });
  const { sessions } = await scan();
  expect(sessions.map(({ warningCount }) => warningCount)).toEqual([1, 0, 0, 0, 0, 0, 0]);
  database.close();
});
