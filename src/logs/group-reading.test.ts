import fc from "fast-check";
import { expect, test } from "vitest";
import type { LogFile, LogSource } from "../ports/log-source.ts";
import { assistant, costState, PROJECT, prompt, usageOf } from "../testing/claude-lines.ts";
import { billedResponse, meta, rolloutPath, tokens, turn } from "../testing/codex-lines.ts";
import { memoryLogs } from "../testing/memory-logs.ts";
import { readGroups } from "./group-reading.ts";

const few = fc.constantFrom("a", "b", "c");
const time = fc.integer({ min: 0, max: 5000 }).map((s) => new Date(1.8e12 + s * 1000).toISOString());
const claudeLine = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(few, time, fc.nat(9), fc.nat(9)).map(named) },
  fc.tuple(few, few, fc.nat(9)).map(([id, uuid, n]) => assistant({ id, uuid, usage: usageOf(n, n) })),
  fc.tuple(few, few).map(([ref, owner]) => assistant({ ref, owner, session: "s" })),
  few.map((session) => prompt({ session })),
  fc.constantFrom('{"type":"assistant","message":{', costState({ m: { inputTokens: 5 } })),
);
function named([ref, at, input, output]: readonly [string, string, number, number]): object {
  return assistant({ ref, id: ref, at, usage: usageOf(input, output), session: "s" });
}
const counts = fc.record({ input: fc.nat(3), output: fc.nat(3), cached: fc.nat(3) });
const codexLine = fc.oneof(
  fc.constantFrom(meta(1), meta(1, { forked_from_id: "f" }), "{", turn("m"), turn("n")),
  fc.tuple(fc.nat(2), few, counts, counts).map(([n, id, last, total]) => billedResponse(n, id, last, total)),
  fc.tuple(counts, counts, time).map(([total, last, at]) => tokens(total, last, at)),
);

/** As one group. */
async function expectSameReading(
  agent: string,
  logs: Readonly<Record<string, readonly unknown[]>>,
): Promise<void> {
  const files = Object.keys(logs).map(
    (path): LogFile => ({ path, sizeBytes: 1, mtimeMs: 1, device: "1", inode: path }),
  );
  const poured = memoryLogs(logs);
  const waited: LogSource = { ...poured, pour: () => false };
  const groups = [{ agent, id: "g", files }];
  expect(await readGroups(poured, groups)).toEqual(await readGroups(waited, groups));
}

test("a transcript and its subagents say the same whether or not a reading has to wait", async () => {
  const lines = fc.array(claudeLine, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lines, fc.option(lines), async (main, beside) => {
      const subagent = beside === null ? {} : { [`${PROJECT}/s/subagents/agent-x.jsonl`]: beside };
      await expectSameReading("claude-code", { [`${PROJECT}/s.jsonl`]: main, ...subagent });
    }),
    { numRuns: 400 },
  );
});

test("a rollout says the same whether or not a reading has to wait", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(codexLine, { maxLength: 8 }), async (lines) => {
      await expectSameReading("codex", { [rolloutPath(1)]: lines });
    }),
    { numRuns: 200 },
  );
});

test("a file that is gone is a problem of its reading", async () => {
  const files = [{ path: `${PROJECT}/s.jsonl`, sizeBytes: 1, mtimeMs: 1, device: "1", inode: "1" }];
  const { head } = await readGroups(memoryLogs({}), [{ agent: "claude-code", id: "s", files }]);
  expect(head.problems).toEqual([{ path: `${PROJECT}/s.jsonl`, reason: "ENOENT" }]);
});
