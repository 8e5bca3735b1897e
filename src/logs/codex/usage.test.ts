import { expect, test } from "vitest";
import {
  billedResponse,
  type Counts,
  HOME,
  line,
  meta,
  rolloutPath,
  SESSIONS,
  threadId,
  tokens,
  turn,
} from "../../testing/codex-lines.ts";
import { type LogFixture, memoryLogs } from "../../testing/memory-logs.ts";
import type { SessionLog } from "../call.ts";
import { scanLogs } from "../scan.ts";

async function threads(files: LogFixture): Promise<readonly SessionLog[]> {
  const scan = await scanLogs(memoryLogs(files), { homeDir: HOME, variables: {} });
  return scan.codex.sessions;
}

/** Output tokens of each call by the thread's number. */
async function outputs(
  files: LogFixture,
): Promise<Readonly<Record<string, readonly (number | undefined)[]>>> {
  const found = await threads(files);
  return Object.fromEntries(
    found.map(({ id, calls }) => [Number(id.slice(-12)), calls.map((call) => call.usage.outputTokens)]),
  );
}

const thread = (n: number, ...lines: readonly unknown[]): LogFixture => ({
  [rolloutPath(n)]: [meta(n), turn("gpt-5.5"), ...lines],
});
const FIRST: Counts = { input: 1000, output: 100 };
const SECOND: Counts = { input: 2200, cached: 900, output: 180 };
const SECOND_ALONE: Counts = { input: 1200, cached: 900, output: 80 };
const LATER = "2026-11-01T11:00:00.000Z";

test("an unchanged total is not a call", async () => {
  const files = thread(
    1,
    tokens(FIRST, FIRST),
    tokens(FIRST, FIRST, LATER),
    tokens(SECOND, SECOND_ALONE),
    tokens(SECOND, SECOND_ALONE),
  );
  expect(await outputs(files)).toEqual({ 1: [100, 80] });
});

test("events without counters are no calls", async () => {
  const empty = line("event_msg", { type: "token_count", info: null });
  expect(await outputs(thread(1, empty, tokens(FIRST, FIRST), empty))).toEqual({ 1: [100] });
});

test("reasoning is inside output, and cached and written tokens are inside input", async () => {
  const counts = { input: 1000, cached: 600, written: 100, output: 90, reasoning: 40 };
  const [found] = await threads(thread(1, tokens(counts, counts)));
  expect(found?.calls[0]?.usage).toEqual({
    inputTokens: 300,
    cacheWrite5mTokens: 100,
    cacheReadTokens: 600,
    outputTokens: 90,
    reasoningTokens: 40,
    requests: 1,
  });
});

test("more cached tokens than input are clamped with a warning", async () => {
  const counts = { input: 500, cached: 600, output: 1 };
  const [found] = await threads(thread(1, tokens(counts, counts)));
  expect(found?.calls[0]?.usage).toMatchObject({ inputTokens: 0, cacheReadTokens: 500 });
  expect(found?.warnings[0]).toContain("more cached tokens than input tokens");
});

test("a total that falls is a new counter, and the call is the last one", async () => {
  const fresh = { input: 600, output: 30 };
  expect(await outputs(thread(1, tokens(SECOND, SECOND), tokens(fresh, fresh)))).toEqual({ 1: [180, 30] });
});

test("a new counter that has overtaken the old total is told by any count that fell", async () => {
  const long = { input: 500, output: 900 };
  const fresh = { input: 3000, output: 30 };
  expect(await outputs(thread(1, tokens(long, long), tokens(fresh, fresh)))).toEqual({ 1: [900, 30] });
});

test("where growth and last call differ the growth counts, with a warning", async () => {
  const [found] = await threads(thread(1, tokens(FIRST, FIRST), tokens(SECOND, { input: 1, output: 1 })));
  expect(found?.calls.map((call) => call.usage.outputTokens)).toEqual([100, 80]);
  expect(found?.warnings[0]).toContain("another amount");
});

test("a first total larger than the last call is history of another file", async () => {
  expect(await outputs(thread(1, tokens(SECOND, SECOND_ALONE)))).toEqual({ 1: [80] });
});

test("without totals every last call counts, without last calls the differences do", async () => {
  const files = {
    ...thread(1, tokens(undefined, FIRST), tokens(undefined, FIRST)),
    ...thread(2, tokens(FIRST, undefined), tokens(SECOND, undefined)),
  };
  expect(await outputs(files)).toEqual({ 1: [100, 100], 2: [100, 80] });
});

test("a call that came without a total is not counted again when the total includes it", async () => {
  const both = { input: 3200, cached: 900, output: 280 };
  const files = thread(1, tokens(FIRST, FIRST), tokens(undefined, FIRST), tokens(both, SECOND_ALONE));
  expect(await outputs(files)).toEqual({ 1: [100, 100, 80] });
});

test("the zeros that follow a compaction are not a call", async () => {
  expect(await outputs(thread(1, tokens(FIRST, FIRST), tokens(FIRST, { input: 0, output: 0 })))).toEqual({
    1: [100],
  });
});

test("with usage records each response counts once and the counters are not billed", async () => {
  const files = thread(
    1,
    billedResponse(1, "r1", FIRST, FIRST),
    tokens(FIRST, FIRST),
    billedResponse(1, "r1", FIRST, FIRST),
    billedResponse(1, "r2", SECOND_ALONE, SECOND),
    billedResponse(7, "r7", FIRST, FIRST),
    line("compacted", { latest_token_usage_record: billedResponse(1, "r3", FIRST, FIRST) }),
  );
  expect(await outputs(files)).toEqual({ 1: [100, 80] });
});

test("calls of an older writer in front of the first usage record are kept", async () => {
  const files = thread(
    1,
    tokens(FIRST, FIRST),
    billedResponse(1, "r2", SECOND_ALONE, SECOND),
    tokens(SECOND, SECOND_ALONE),
  );
  expect(await outputs(files)).toEqual({ 1: [100, 80] });
});

test("a response id that a gateway repeats does not merge calls with other totals", async () => {
  const files = thread(
    1,
    billedResponse(1, "same", FIRST, FIRST),
    billedResponse(1, "same", SECOND_ALONE, SECOND),
  );
  expect(await outputs(files)).toEqual({ 1: [100, 80] });
});

test("a fork's counters that start at the parent's total do not count the parent again", async () => {
  const fork = meta(2, { forked_from_id: threadId(1), history_base: { thread_id: threadId(1) } });
  const files = {
    ...thread(1, tokens(FIRST, FIRST)),
    [rolloutPath(2)]: [fork, turn("gpt-5.5"), tokens(SECOND, SECOND_ALONE)],
  };
  expect(await outputs(files)).toEqual({ 1: [100], 2: [80] });
});

const forkAt = (n: number, of: number, end: number): object =>
  meta(n, {
    forked_from_id: threadId(of),
    history_base: { thread_id: threadId(of), end_ordinal_exclusive: end },
  });

test("the parent's last counters, written once more before a fork's first call, are no call of the fork", async () => {
  const files = {
    [rolloutPath(1)]: [
      meta(1),
      tokens(FIRST, FIRST, undefined, 5),
      tokens(SECOND, SECOND_ALONE, undefined, 9),
    ],
    [rolloutPath(2)]: [forkAt(2, 1, 7), tokens(FIRST, FIRST, LATER, 8)],
    [rolloutPath(3)]: [
      forkAt(3, 1, 7),
      tokens(FIRST, FIRST, LATER, 8),
      tokens(SECOND, SECOND_ALONE, LATER, 9),
    ],
  };
  expect(await outputs(files)).toEqual({ 1: [100, 80], 2: [], 3: [80] });
});

const replayingFork = (...lines: readonly unknown[]): LogFixture => ({
  [rolloutPath(2)]: [meta(2, { forked_from_id: threadId(1) }), meta(1), turn("gpt-5.5"), ...lines],
});

test("counters that a fork copied from its parent are dropped whatever their times", async () => {
  const own = tokens(SECOND, SECOND_ALONE, "2026-11-02T10:00:00.000Z");
  const files = { ...thread(1, tokens(FIRST, FIRST)), ...replayingFork(tokens(FIRST, FIRST, LATER), own) };
  expect(await outputs(files)).toEqual({ 1: [100], 2: [80] });
});

test("equal work in a fork that the parent did later is the fork's own call", async () => {
  const files = {
    ...thread(1, tokens(FIRST, FIRST), tokens(SECOND, SECOND_ALONE, "2026-11-03T10:00:00.000Z")),
    ...replayingFork(tokens(FIRST, FIRST, LATER), tokens(SECOND, SECOND_ALONE, "2026-11-02T10:00:00.000Z")),
  };
  expect(await outputs(files)).toEqual({ 1: [100, 80], 2: [80] });
});

test("without the parent's file a replay is the leading run in the second of the copied header", async () => {
  const files = replayingFork(tokens(FIRST, FIRST), tokens(SECOND, SECOND_ALONE, LATER));
  expect(await outputs(files)).toEqual({ 2: [80] });
});

const THIRD: Counts = { input: 4000, cached: 1900, output: 250 };
const THIRD_ALONE: Counts = { input: 1800, cached: 1000, output: 70 };
const FOURTH: Counts = { input: 4500, cached: 2000, output: 290 };
const FOURTH_ALONE: Counts = { input: 500, cached: 100, output: 40 };

test("a line that is lost in the parent or in the fork does not end what was copied", async () => {
  const broken = '{"timestamp":"2026-11-01T10:00:0';
  const lines = [tokens(FIRST, FIRST), tokens(SECOND, SECOND_ALONE), tokens(THIRD, THIRD_ALONE)];
  const damaged = [lines[0], broken, lines[2]];
  const own = tokens(FOURTH, FOURTH_ALONE, LATER);
  expect(await outputs({ ...thread(1, ...lines), ...replayingFork(...damaged, own) })).toEqual({
    1: [100, 80, 70],
    2: [40],
  });
  expect(await outputs({ ...thread(1, ...damaged), ...replayingFork(...lines, own) })).toEqual({
    1: [100, 150],
    2: [40],
  });
});

test("copies are copies even when the fork's clock was behind the parent's", async () => {
  const ahead = thread(1, tokens(FIRST, FIRST, LATER), tokens(SECOND, SECOND_ALONE, LATER));
  const own = tokens(THIRD, THIRD_ALONE, "2026-11-02T10:00:00.000Z");
  for (const second of ["2026-11-01T10:00:00.100Z", "2026-11-01T10:00:01.000Z"]) {
    const copies = [tokens(FIRST, FIRST), tokens(SECOND, SECOND_ALONE, second)];
    expect(await outputs({ ...ahead, ...replayingFork(...copies, own) })).toEqual({ 1: [100, 80], 2: [70] });
  }
});

test("without the parent's file, counters older than the fork itself are no calls of the fork", async () => {
  const files = {
    [rolloutPath(2)]: [
      meta(2, { forked_from_id: threadId(1) }, LATER),
      meta(1, {}, "2026-11-01T09:00:00.000Z"),
      tokens(FIRST, FIRST, "2026-11-01T09:30:00.000Z"),
      tokens(SECOND, SECOND_ALONE, LATER),
    ],
  };
  expect(await outputs(files)).toEqual({ 2: [80] });
});

test("a fork whose own header is damaged is told from its parent by the name of its file", async () => {
  const files = {
    ...thread(1, tokens(FIRST, FIRST)),
    [rolloutPath(2)]: [
      '{"timestamp":"2026-11-01T10:0',
      meta(1),
      tokens(FIRST, FIRST, LATER),
      tokens(SECOND, SECOND_ALONE, LATER),
    ],
  };
  expect(await outputs(files)).toEqual({ 1: [100], 2: [80] });
});

test("a damaged line in front of the header does not make another thread of it", async () => {
  const files = { [`${SESSIONS}/rollout-mine.jsonl`]: ["{broken", meta(1), tokens(FIRST, FIRST)] };
  expect(await outputs(files)).toEqual({ 1: [100] });
});

test("counters beside usage records of another thread only are that thread's", async () => {
  const copied = [billedResponse(1, "r1", FIRST, FIRST), tokens(FIRST, FIRST)];
  expect(await outputs(replayingFork(...copied))).toEqual({ 2: [] });
});

test("an ordinal that cannot be one costs neither the header nor the call", async () => {
  const odd = (value: unknown, of: object): object => ({ ...of, ordinal: value });
  const files = {
    [rolloutPath(2)]: [
      odd(
        "0",
        meta(9, {
          forked_from_ordinal_exclusive: -1,
          history_base: { thread_id: "x", end_ordinal_exclusive: "3" },
        }),
      ),
      odd(-1, turn("gpt-5.5")),
      odd(1.5, tokens(FIRST, FIRST)),
      odd(null, tokens(SECOND, SECOND_ALONE)),
    ],
  };
  expect(await outputs(files)).toEqual({ 9: [100, 80] });
});

test("usage records that a fork copied under its own name are still the parent's calls", async () => {
  const files = {
    ...thread(1, billedResponse(1, "r1", FIRST, FIRST)),
    ...replayingFork(billedResponse(2, "r1", FIRST, FIRST), billedResponse(2, "r2", SECOND_ALONE, SECOND)),
  };
  expect(await outputs(files)).toEqual({ 1: [100], 2: [80] });
});

test("a spawned agent's own records begin at the stated ordinal, with a counter of their own", async () => {
  const spawned = meta(2, { parent_thread_id: threadId(1), subagent_history_start_ordinal: 5 });
  const own: Counts = { input: 4000, output: 40 };
  const lines = [
    spawned,
    meta(1),
    turn("gpt-5.5"),
    tokens(FIRST, FIRST, LATER, 3),
    tokens(own, own, LATER, 6),
  ];
  expect(await outputs({ [rolloutPath(2)]: lines })).toEqual({ 2: [40] });
});

test("two spawned agents that did equal work are two calls", async () => {
  const spawned = (n: number): LogFixture => ({
    [rolloutPath(n)]: [meta(n, { parent_thread_id: threadId(1) }), turn("gpt-5.5"), tokens(FIRST, FIRST)],
  });
  expect(await outputs({ ...thread(1, tokens(FIRST, FIRST)), ...spawned(2), ...spawned(3) })).toEqual({
    1: [100],
    2: [100],
    3: [100],
  });
});

test("a call's model is that of the last turn, not the settings already changed for the next", async () => {
  const settings = line("event_msg", {
    type: "thread_settings_applied",
    thread_settings: { model: "gpt-5.6-sol" },
  });
  const files = thread(1, settings, tokens(FIRST, FIRST), turn("gpt-5.6-sol"), tokens(SECOND, SECOND_ALONE));
  const [found] = await threads(files);
  expect(found?.calls.map((call) => call.model)).toEqual(["gpt-5.5", "gpt-5.6-sol"]);
});

test("before its first turn a fork calls the model that its parent had at the fork, over several forks", async () => {
  const parent = [
    line("session_meta", { id: threadId(1) }, LATER, 0),
    line("turn_context", { model: "gpt-5.5" }, LATER, 1),
    line("turn_context", { model: "gpt-5.6-sol" }, LATER, 9),
  ];
  const fork = (n: number, of: number, end: number): object =>
    meta(n, { history_base: { thread_id: threadId(of), end_ordinal_exclusive: end } });
  const files = {
    [rolloutPath(1)]: parent,
    [rolloutPath(2)]: [fork(2, 1, 5)],
    [rolloutPath(3)]: [fork(3, 2, 7), tokens(FIRST, FIRST)],
  };
  const found = await threads(files);
  expect(found.find((entry) => entry.id === threadId(3))?.calls[0]?.model).toBe("gpt-5.5");
});

test("a fork that begins in front of what its parent wrote calls the model of the parent's parent there", async () => {
  const files = {
    [rolloutPath(1)]: [
      meta(1),
      line("turn_context", { model: "gpt-5.5" }, LATER, 1),
      line("turn_context", { model: "gpt-5.1" }, LATER, 6),
    ],
    [rolloutPath(2)]: [forkAt(2, 1, 9), line("turn_context", { model: "gpt-5.6-sol" }, LATER, 10)],
    [rolloutPath(3)]: [forkAt(3, 2, 4), tokens(FIRST, FIRST)],
  };
  const found = await threads(files);
  expect(found.find((entry) => entry.id === threadId(3))?.calls[0]?.model).toBe("gpt-5.5");
});

test("a call before any model is known counts under no model that is guessed", async () => {
  const [found] = await threads({ [rolloutPath(1)]: [meta(1), tokens(FIRST, FIRST)] });
  expect(found?.calls[0]?.model).toBe("unknown");
});

test("the service tier is that of the settings before the call", async () => {
  const settings = (tier: string | null): object =>
    line("event_msg", { type: "thread_settings_applied", thread_settings: { service_tier: tier } });
  const files = thread(
    1,
    settings("priority"),
    tokens(FIRST, FIRST),
    settings(null),
    tokens(SECOND, SECOND_ALONE),
  );
  const [found] = await threads(files);
  expect(found?.calls.map((call) => call.tier)).toEqual(["priority", undefined]);
});

test("a thread that is archived, compressed and live counts once, from the plain file", async () => {
  const archived = rolloutPath(1, `${HOME}/.codex/archived_sessions`);
  const files = {
    [archived]: [meta(1), turn("gpt-5.5"), tokens(FIRST, FIRST)],
    ...thread(1, tokens(FIRST, FIRST), tokens(SECOND, SECOND_ALONE)),
    [`${rolloutPath(1)}.zst`]: [
      meta(1),
      turn("gpt-5.5"),
      tokens(FIRST, FIRST),
      tokens(SECOND, SECOND_ALONE),
      turn("gpt-5.1"),
    ],
  };
  const found = await threads(files);
  expect(
    found.map(({ calls, isArchived, isCompressed }) => [calls.length, isArchived, isCompressed]),
  ).toEqual([[2, false, false]]);
});

test("of several plain files of one thread the one that says most counts, and a live one before an archived one", async () => {
  const archived = rolloutPath(1, `${HOME}/.codex/archived_sessions`);
  const whole = [meta(1), turn("gpt-5.5"), tokens(FIRST, FIRST), tokens(SECOND, SECOND_ALONE)];
  const damaged = [meta(1), turn("gpt-5.5"), "{broken", tokens(SECOND, SECOND_ALONE)];
  const ask = async (files: LogFixture): Promise<unknown> =>
    (await threads(files)).map(({ calls, isArchived }) => [calls.length, isArchived]);
  expect(await ask({ [archived]: whole, [rolloutPath(1)]: whole })).toEqual([[2, false]]);
  expect(await ask({ [archived]: whole, [rolloutPath(1)]: damaged })).toEqual([[2, true]]);
});

test("an empty plain file does not hide the compressed one", async () => {
  const lines = [meta(1), turn("gpt-5.5"), tokens(FIRST, FIRST)];
  expect(await outputs({ [rolloutPath(1)]: [], [`${rolloutPath(1)}.zst`]: lines })).toEqual({ 1: [100] });
});

test("threads roll up to their root by the stated id, else by parents, even in a circle", async () => {
  const files = {
    [rolloutPath(1)]: [meta(1, { parent_thread_id: threadId(2) })],
    [rolloutPath(2)]: [meta(2, { parent_thread_id: threadId(1) })],
    [rolloutPath(3)]: [meta(3, { session_id: threadId(9), parent_thread_id: threadId(8) })],
    [rolloutPath(4)]: [meta(4, { parent_thread_id: threadId(7) })],
  };
  const roots = Object.fromEntries(
    (await threads(files)).map(({ id, root }) => [Number(id.slice(-12)), Number(root.slice(-12))]),
  );
  expect(roots).toEqual({ 1: 1, 2: 1, 3: 9, 4: 7 });
});

test("a review's calls belong to the child thread that made them", async () => {
  const review = meta(2, { source: { subagent: "review" }, parent_thread_id: threadId(1) });
  const found = await threads({
    ...thread(1),
    [rolloutPath(2)]: [review, turn("gpt-5.5"), tokens(FIRST, FIRST)],
  });
  expect(found.map(({ source, calls }) => [source, calls.length])).toEqual([
    ["exec", 0],
    ["subagent:review", 1],
  ]);
});

test("a first-generation file without usage is a session without calls", async () => {
  const header = { id: threadId(1), timestamp: "2025-06-01T10:00:00.000Z", instructions: null };
  const found = await threads({ [rolloutPath(1)]: [header] });
  expect(found.map(({ id, calls }) => [id, calls.length])).toEqual([[threadId(1), 0]]);
});

test("an explicit home replaces the default", async () => {
  const files = {
    ...thread(1, tokens(FIRST, FIRST)),
    [rolloutPath(2, "/other/sessions/2026")]: [meta(2), tokens(FIRST, FIRST)],
  };
  const scan = await scanLogs(memoryLogs(files), { homeDir: HOME, variables: { CODEX_HOME: "/other" } });
  expect(scan.codex.sessions.map((entry) => entry.id)).toEqual([threadId(2)]);
});
