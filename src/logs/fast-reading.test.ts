import fc from "fast-check";
import { expect, test } from "vitest";
import { assistant, costState, PROJECT, prompt, toolResult, usageOf } from "../testing/claude-lines.ts";
import {
  billedResponse,
  line as codexLine,
  meta,
  rolloutPath,
  tokens,
  turn,
} from "../testing/codex-lines.ts";
import { readLines } from "../testing/log-reference.ts";
import { ClaudeParser, claudeFile } from "./claude-code/index.ts";
import { CLAUDE_MEMBERS } from "./claude-code/wanted.ts";
import { CodexParser, codexFile, mergeCodex } from "./codex/index.ts";
import { CODEX_MEMBERS } from "./codex/wanted.ts";

function namesIn({ paths }: { readonly paths: Readonly<Record<string, string>> }): string[] {
  return [...new Set(Object.values(paths).map((path) => path.replace(/^.*\./, "")))];
}

const CLAUDE_NAMES = namesIn(CLAUDE_MEMBERS).filter((key) => key !== "message");
const CODEX_NAMES = namesIn(CODEX_MEMBERS);

/** Whatever a member may be in a log that nobody promised. */
const odd = fc.oneof(
  fc.constantFrom(undefined, null, "", "x", "ü\\n", -1, 0, 5, 1e300, 0.5, true, false, {}, [], ["x"], {
    id: 1,
  }),
  fc.string({ maxLength: 5 }),
);
const few = fc.constantFrom("a", "b", "c");
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: fc.constant(undefined) });
const time = fc.oneof(
  fc
    .date({ min: new Date("2014-12-01"), max: new Date("2101-02-01"), noInvalidDate: true })
    .map((at) => at.toISOString()),
  fc.constantFrom(
    "2026-02-30T10:00:00.000Z",
    "2026-11-01T24:00:00.000Z",
    "2026-11-01T10:00:00.5Z",
    "2026-11-01",
    "",
  ),
);

const usage = fc
  .record({
    input: fc.nat(50),
    output: fc.nat(50),
    more: fc.dictionary(
      fc.constantFrom(
        ...["cache_creation_input_tokens", "cache_read_input_tokens", "service_tier", "speed", "iterations"],
        ...["output_tokens_details", "server_tool_use", "cache_creation", "input_tokens"],
      ),
      fc.oneof(
        odd,
        fc.constantFrom("fast", "priority", "batch", { thinking_tokens: 3 }, { web_search_requests: 2 }),
        fc.constantFrom(
          { ephemeral_5m_input_tokens: 4 },
          { ephemeral_1h_input_tokens: 4, ephemeral_5m_input_tokens: null },
          [{ type: "advisor_message", model: "m", input_tokens: 9 }],
          [{ type: "message" }],
        ),
      ),
      { maxKeys: 3 },
    ),
  })
  .map(({ input, output, more }) => usageOf(input, output, more));

const content = fc.array(
  fc.oneof(
    odd,
    fc.record({ type: fc.constantFrom("tool_use", "text", "tool_result"), id: few, tool_use_id: odd }),
  ),
  { maxLength: 3 },
);

const claudeRecord = fc.oneof(
  fc
    .record({
      id: maybe(few),
      uuid: few,
      parent: maybe(few),
      session: maybe(fc.constantFrom("s", "t")),
      request: maybe(few),
      ref: maybe(few),
      owner: maybe(few),
      at: time,
      model: fc.constantFrom("claude-opus-5-5", "<synthetic>", ""),
      stop: fc.constantFrom("end_turn", null),
      usage,
      content,
      more: fc.dictionary(fc.constantFrom(...CLAUDE_NAMES), odd, {
        maxKeys: 2,
      }),
    })
    .map((made) =>
      assistant({
        ...Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)),
      }),
    ),
  fc.record({ uuid: few, session: few, at: time, more: fc.dictionary(few, odd) }).map(prompt),
  few.map((tool) => toolResult(tool)),
  fc
    .record({ content: fc.oneof(content, fc.string()), isMeta: odd })
    .map(({ content: blocks, isMeta }) => ({ ...prompt(), isMeta, message: { content: blocks } })),
  fc.constant(costState({ m: { inputTokens: 5 } })),
  fc.constantFrom({ type: "queue-operation", timestamp: "2026-11-01T10:00:00.000Z" }, { type: "summary" }),
  fc
    .record({ type: fc.constantFrom("attachment", "system", "queue-operation"), uuid: maybe(few), at: time })
    .map(({ type, uuid, at }) => ({
      type,
      ...(uuid === undefined ? {} : { uuid }),
      sessionId: "s",
      timestamp: at,
    })),
);

/** Calls of one writer behind each other: what becomes rows, but for a member here and there. */
const claudeSeries = fc
  .tuple(
    fc.record(
      { ref: few, session: few, owner: few, at: time, usage },
      { requiredKeys: ["ref", "session", "at", "usage"] },
    ),
    fc.array(
      fc.record({
        call: fc.record(
          {
            ref: few,
            id: few,
            request: few,
            at: time,
            stop: fc.constantFrom("end_turn", null),
            usage: fc.tuple(fc.nat(), fc.nat()).map(([input, output]) => usageOf(input, output)),
          },
          { requiredKeys: ["ref", "at", "stop", "usage"] },
        ),
        change: fc.oneof(
          { weight: 2, arbitrary: fc.constant({}) },
          { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...CLAUDE_NAMES), odd, { maxKeys: 1 }) },
        ),
      }),
      { maxLength: 8 },
    ),
  )
  .map(([first, series]) => [
    assistant(first),
    ...series.map(({ call, change }) => ({ ...assistant({ ...first, ...call }), ...change })),
  ]);

const counts = fc.record({ input: fc.nat(3), output: fc.nat(3), cached: fc.nat(3) });
const many = fc.record(
  { input: fc.nat(), output: fc.nat(), cached: fc.nat(), written: fc.nat() },
  { requiredKeys: ["input", "output", "cached"] },
);
const codexEvent = fc.oneof(
  fc.tuple(many, many, time, fc.nat(9)).map(([total, last, at, ordinal]) => tokens(total, last, at, ordinal)),
  fc.tuple(few, many, many).map(([id, last, total]) => billedResponse(1, id, last, total)),
  few.map(turn),
  fc
    .tuple(fc.constantFrom("item_completed", "agent_reasoning"), time)
    .map(([type, at]) => codexLine("event_msg", { type, text: "x" }, at)),
  fc
    .constantFrom("flex", "priority")
    .map((tier) =>
      codexLine("event_msg", { type: "thread_settings_applied", thread_settings: { service_tier: tier } }),
    ),
);
/** Events behind each other: what becomes rows, but for a member of the payload here and there. */
const codexSeries = fc
  .array(
    fc.tuple(
      codexEvent,
      fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...CODEX_NAMES), odd, { maxKeys: 1 }) },
      ),
    ),
    { maxLength: 12 },
  )
  .map((events) =>
    events.map(([event, change]) => ({
      ...event,
      payload: { ...Object(Reflect.get(event, "payload")), ...change },
    })),
  );

const codexRecord = fc.oneof(
  fc
    .constantFrom(
      {},
      { source: { subagent: { review: {} } }, git: { branch: "main" } },
      { source: { subagent: { thread_spawn: { parent_thread_id: "p" } } } },
      { history_base: { thread_id: "h", end_ordinal_exclusive: 3 }, forked_from_id: "f" },
      { subagent_history_start_ordinal: -1 },
    )
    .map((more) => meta(1, more)),
  few.map(turn),
  fc.tuple(fc.nat(2), few, counts, counts).map(([n, id, last, total]) => billedResponse(n, id, last, total)),
  fc.tuple(maybe(counts), maybe(counts), time).map(([total, last, at]) => tokens(total, last, at)),
  fc
    .tuple(
      fc.constantFrom("event_msg", "turn_context", "token_usage_record", "response_item", "x"),
      fc.dictionary(fc.constantFrom(...CODEX_NAMES), odd, { maxKeys: 4 }),
    )
    .map(([type, payload]) => codexLine(type, payload)),
  fc.constant(
    codexLine("event_msg", { type: "thread_settings_applied", thread_settings: { service_tier: "flex" } }),
  ),
);

/** One byte changed, taken away or put in, or none. */
const harm = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom("", '"', "}", "{", "1", "\\", "\xff"));

/** The record once more, maybe later or with another member: what the fast reading may pass over, and what it must not. */
const again = (names: readonly string[]): fc.Arbitrary<readonly object[]> =>
  fc.array(
    fc
      .tuple(fc.option(time), fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: 1 }))
      .map(([at, change]) => ({ ...(at === null ? {} : { timestamp: at }), ...change })),
    { maxLength: 3 },
  );

function written(
  record: fc.Arbitrary<object>,
  names: readonly string[],
): fc.Arbitrary<(readonly [object, readonly [number, number, string] | null])[]> {
  const told = fc
    .tuple(record, harm, again(names), fc.nat(6))
    .map(([first, damage, changes, isHarmed]) => [
      [first, isHarmed === 0 ? damage : null] as const,
      ...changes.map((change) => [{ ...first, ...change }, null] as const),
    ]);
  return fc.array(told, { maxLength: 8 }).map((lines) => lines.flat());
}

/** Series between other records. */
function withSeries(
  lines: fc.Arbitrary<(readonly [object, readonly [number, number, string] | null])[]>,
  series: fc.Arbitrary<readonly object[]>,
): typeof lines {
  return fc
    .tuple(lines, series, lines)
    .map(([before, made, after]) => [...before, ...made.map((record) => [record, null] as const), ...after]);
}

function bytesOf(lines: readonly (readonly [object, readonly [number, number, string] | null])[]): Buffer {
  return Buffer.concat(
    lines.flatMap(([record, damage]) => {
      const whole = Buffer.from(JSON.stringify(record));
      if (damage === null) return [whole, Buffer.from("\n")];
      const [at, cut, insert] = damage;
      const from = at % whole.length;
      const rest = whole.subarray(Math.min(whole.length, from + cut));
      return [whole.subarray(0, from), Buffer.from(insert, "latin1"), rest, Buffer.from("\n")];
    }),
  );
}

const SIZES = { lines: 0, bytes: 0 };

test("a transcript says the same read fast as with every line parsed whole", () => {
  fc.assert(
    fc.property(withSeries(written(claudeRecord, CLAUDE_NAMES), claudeSeries), (lines) => {
      const bytes = bytesOf(lines);
      const fast = new ClaudeParser(claudeFile(`${PROJECT}/s.jsonl`));
      fast.push(bytes);
      const whole = new ClaudeParser(claudeFile(`${PROJECT}/s.jsonl`));
      readLines(bytes, CLAUDE_MEMBERS.idle, whole);
      expect({ ...fast.finish(), ...SIZES }).toEqual({ ...whole.finish(), ...SIZES });
    }),
    { numRuns: 1500 },
  );
});

test("a rollout says the same read fast as with every line parsed whole", () => {
  fc.assert(
    fc.property(withSeries(written(codexRecord, CODEX_NAMES), codexSeries), (lines) => {
      const bytes = bytesOf(lines);
      const fast = new CodexParser(codexFile(rolloutPath(1)));
      fast.push(bytes);
      const whole = new CodexParser(codexFile(rolloutPath(1)));
      readLines(bytes, CODEX_MEMBERS.idle, whole);
      expect({ ...fast.finish(), ...SIZES }).toEqual({ ...whole.finish(), ...SIZES });
    }),
    { numRuns: 1000 },
  );
});

test("a rollout that is read alone comes to what it comes to with all of its counters", () => {
  fc.assert(
    fc.property(withSeries(written(codexRecord, CODEX_NAMES), codexSeries), (lines) => {
      const bytes = bytesOf(lines);
      const [alone, whole] = [true, false].map((isAlone) => {
        const parser = new CodexParser(codexFile(rolloutPath(1)), undefined, isAlone);
        parser.push(bytes);
        return mergeCodex([parser.finish()]);
      });
      expect(alone).toEqual(whole);
    }),
    { numRuns: 1000 },
  );
});

test("behind the first record of its own a rollout that is read alone keeps no counters", () => {
  const lines = [
    meta(1),
    turn("m"),
    tokens({ input: 9, output: 0 }, { input: 9, output: 0 }),
    billedResponse(1, "r", { input: 1, output: 0 }, { input: 10, output: 0 }),
  ];
  const later = Array.from({ length: 50 }, (_, n) =>
    tokens({ input: 10 + n, output: n }, { input: 1, output: 1 }),
  );
  const bytes = Buffer.from(`${[...lines, ...later].map((line) => JSON.stringify(line)).join("\n")}\n`);
  const parser = new CodexParser(codexFile(rolloutPath(1)), undefined, true);
  parser.push(bytes);
  expect(parser.finish().steps).toHaveLength(1);
});

test("more alike records in a row than there is room for are all told", () => {
  const events = Array.from({ length: 2000 }, (_, n) =>
    tokens({ input: n, output: n }, { input: 1, output: 1 }),
  );
  const bytes = Buffer.from(`${events.map((event) => JSON.stringify(event)).join("\n")}\n`);
  const fast = new CodexParser(codexFile(rolloutPath(1)));
  fast.push(bytes);
  const { steps } = fast.finish();
  expect(steps.map(({ total }) => total?.input)).toEqual(events.map((_, n) => n));
  expect(steps.map(({ line }) => line)).toEqual(events.map((_, n) => n + 1));
});
