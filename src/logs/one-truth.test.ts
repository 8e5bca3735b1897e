import { expect, test } from "vitest";
import type { LogSource } from "../ports/log-source.ts";
import { assistant, HOME, PROJECT, usageOf } from "../testing/claude-lines.ts";
import { type Counts, meta, rolloutPath, tokens, turn } from "../testing/codex-lines.ts";
import { readersHere } from "../testing/log-readers.ts";
import { bytesOf, type LogFixture, memoryLogs } from "../testing/memory-logs.ts";
import { createPrices } from "./prices/index.ts";
import { scanLogs } from "./scan.ts";
import { type Spend, spendBy, totalSpend } from "./spend.ts";
import { type SummaryScan, scanSummary } from "./summary-scan.ts";
import { createUsageReader } from "./usage-reader.ts";

const env = { homeDir: HOME, variables: {} };
const prices = createPrices();

function scan(source: LogSource): Promise<SummaryScan> {
  return scanSummary({ source, readers: readersHere(source) }, env, 0);
}

const FILES: LogFixture = {
  [`${PROJECT}/a.jsonl`]: [
    assistant({ session: "a", id: "m1", at: "2026-11-01T10:00:00.000Z", usage: usageOf(10, 5) }),
    assistant({ session: "a", id: "m1", at: "2026-11-01T10:00:01.000Z", usage: usageOf(10, 50) }),
    assistant({ session: "a", id: "m2", at: "2026-11-02T10:00:00.000Z", usage: usageOf(20, 7) }),
  ],
  [`${PROJECT}/a/subagents/agent-x.jsonl`]: [
    assistant({ session: "a", id: "m3", at: "2026-11-02T10:00:00.000Z", usage: usageOf(3, 4) }),
  ],
  [`${PROJECT}/b.jsonl`]: [assistant({ session: "b", id: "m4", at: "2026-11-03T10:00:00.000Z" })],
};

test("list, day, single session and total come to the same tokens and dollars", async () => {
  const { sessions } = await scan(memoryLogs(FILES));
  const total = totalSpend(sessions, prices);
  const sum = (spends: Iterable<Spend>): readonly [number, number] => {
    const all = [...spends];
    return [all.reduce((to, one) => to + one.microUsd, 0), all.reduce((to, one) => to + one.calls, 0)];
  };
  const byDay = spendBy(sessions, prices, (_, row) => String(Math.floor(row.slot / 96)));
  const bySession = spendBy(sessions, prices, (session) => session.id);
  expect(sum(byDay.values())).toEqual([total.microUsd, total.calls]);
  expect(sum(bySession.values())).toEqual([total.microUsd, total.calls]);
  const reader = createUsageReader(memoryLogs(FILES), env, prices);
  for (const [session, spend] of bySession) {
    const report = await reader.ofSession({ agent: "claude-code", session, cwd: "/home/dev/p" });
    expect(report).toMatchObject({ models: [{ usage: spend.usage, cost: { microUsd: spend.microUsd } }] });
  }
});

test("one agent without a folder does not hide what another has", async () => {
  const files = {
    [rolloutPath(1)]: [meta(1), turn("gpt-5.6-sol"), tokens(undefined, { input: 5, output: 2 })],
  };
  const found = await scan(memoryLogs(files));
  expect(found.sessions.map(({ agent }) => agent)).toEqual(["codex"]);
  expect(found.problems).toEqual([]);
});

test("calls of one quarter of an hour that are short each stay short together", async () => {
  const call = (n: number): object => {
    const counts: Counts = { input: 200_000, output: 10 };
    return tokens(undefined, counts, `2026-11-01T10:00:0${n}.000Z`);
  };
  const one = await scan(memoryLogs({ [rolloutPath(1)]: [meta(1), turn("gpt-5.6-sol"), call(1)] }));
  const two = await scan(memoryLogs({ [rolloutPath(1)]: [meta(1), turn("gpt-5.6-sol"), call(1), call(2)] }));
  const single = totalSpend(one.sessions, prices).microUsd;
  expect(single).toBeGreaterThan(0);
  expect(totalSpend(two.sessions, prices).microUsd).toBe(2 * single);
});

test("a snapshot of hundreds of megabytes in one line is passed over without being held", async () => {
  const chunk = new Uint8Array(1024 * 1024).fill(0x78);
  const source: LogSource = {
    list: memoryLogs({ [`${PROJECT}/a.jsonl`]: [] }).list,
    pour: () => false,
    read: async function* () {
      yield bytesOf([assistant({ session: "a", id: "m1" })]);
      yield new TextEncoder().encode('{"type":"file-history-snapshot","text":"');
      for (let i = 0; i < 200; i += 1) yield chunk;
      yield new TextEncoder().encode('"}\n');
      yield bytesOf([assistant({ session: "a", id: "m2" })]);
    },
  };
  const before = process.memoryUsage().arrayBuffers;
  const { claudeCode } = await scanLogs(source, env);
  expect(claudeCode.sessions.map(({ calls }) => calls.length)).toEqual([2]);
  expect(claudeCode.damaged.lines).toMatchObject([{ line: 2 }]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1024 * 1024);
});
