import fc from "fast-check";
import { expect, test } from "vitest";
import type { LogFile, LogSource } from "../ports/log-source.ts";
import { assistant, costState, PROJECT, prompt, usageOf } from "../testing/claude-lines.ts";
import { billedResponse, meta, rolloutPath, tokens, turn } from "../testing/codex-lines.ts";
import { bytesOf, memoryLogs } from "../testing/memory-logs.ts";
import { type ClaudeFacts, ClaudeParser, claudeFile, mergeClaude } from "./claude-code/index.ts";
import { type CodexFacts, CodexParser, codexFile, mergeCodex } from "./codex/index.ts";
import { readGroups } from "./group-reading.ts";

/** Now and then the same one twice. */
const ref = fc.nat(99).map(String);
const few = fc.constantFrom("a", "b", "c");
const time = fc.integer({ min: 0, max: 5000 }).map((s) => new Date(1.8e12 + s * 1000).toISOString());
const claudeLine = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(ref, time, fc.nat(9), fc.nat(9)).map(named) },
  fc.tuple(few, few, fc.nat(9)).map(([id, uuid, n]) => assistant({ id, uuid, usage: usageOf(n, n) })),
  fc.tuple(few, few).map(([ref, owner]) => assistant({ ref, owner, session: "s" })),
  { weight: 3, arbitrary: few.map((session) => prompt({ session })) },
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

function transcript(path: string, lines: readonly unknown[]): ClaudeFacts {
  const parser = new ClaudeParser(claudeFile(path));
  parser.push(bytesOf(lines));
  return parser.finish();
}

test("a session is the same read alone as beside one that shares nothing with it", () => {
  const lines = fc.array(claudeLine, { maxLength: 12 });
  const other = transcript(`${PROJECT}/z.jsonl`, [named(["z", "2026-11-01T10:00:00.000Z", 1, 1])]);
  fc.assert(
    fc.property(lines, fc.array(lines, { maxLength: 2 }), (main, beside) => {
      const subagents = beside.map((made, n) => transcript(`${PROJECT}/s/subagents/agent-${n}.jsonl`, made));
      const own = [transcript(`${PROJECT}/s.jsonl`, main), ...subagents];
      const { sessions } = mergeClaude([...own, other]);
      expect(mergeClaude(own).sessions).toEqual(sessions.filter(({ id }) => id !== "z"));
    }),
    { numRuns: 600 },
  );
});

function rollout(n: number, lines: readonly unknown[]): CodexFacts {
  const parser = new CodexParser(codexFile(rolloutPath(n)));
  parser.push(bytesOf(lines));
  return parser.finish();
}

test("a thread is the same read alone as beside one that shares nothing with it", () => {
  const other = rollout(9, [meta(9)]);
  fc.assert(
    fc.property(fc.array(codexLine, { maxLength: 12 }), (lines) => {
      const own = rollout(1, lines);
      const { sessions } = mergeCodex([own, other]);
      expect(mergeCodex([own]).sessions).toEqual(sessions.filter(({ files }) => files[0] === own.file.path));
    }),
    { numRuns: 400 },
  );
});

test("a file that is gone is a problem of its reading", async () => {
  const files = [{ path: `${PROJECT}/s.jsonl`, sizeBytes: 1, mtimeMs: 1, device: "1", inode: "1" }];
  const { head } = await readGroups(memoryLogs({}), [{ agent: "claude-code", id: "s", files }]);
  expect(head.problems).toEqual([{ path: `${PROJECT}/s.jsonl`, reason: "ENOENT" }]);
});
