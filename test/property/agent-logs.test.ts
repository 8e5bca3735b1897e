import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ClaudeParser, claudeFile, mergeClaude } from "../../src/logs/claude-code/index.ts";
import { CodexParser, codexFile, mergeCodex } from "../../src/logs/codex/index.ts";
import { assistant, HOME, PROJECT, prompt, usageOf } from "../../src/testing/claude-lines.ts";
import { billedResponse, meta, rolloutPath, turn } from "../../src/testing/codex-lines.ts";
import { sharedData } from "../golden/shared-data.ts";

const encoder = new TextEncoder();
const NEWLINE = Uint8Array.of(0x0a);

/** What is put into a line: what breaks JSON, what looks like a record, what is no text. */
const NOISE = [
  '"usage":{',
  '"type":"assistant"',
  "{",
  "}",
  '"',
  "\\",
  "\0\0",
  "]",
  "null",
  '"token_count"',
  "-1",
  "1e999",
]
  .map((text) => encoder.encode(text))
  .concat([Uint8Array.of(0xff, 0xfe), Uint8Array.of(0xc3), Uint8Array.of(0xef, 0xbb, 0xbf)]);

/** A generator of whole numbers below a bound: as fast as thousands of lines need it, and repeatable by its seed. */
function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Mutation = (line: Uint8Array, roll: (below: number) => number) => Uint8Array;

/** Bytes cut out and others put in. */
const replace: Mutation = (line, roll) => {
  const start = roll(line.length);
  const insert = NOISE[roll(NOISE.length)] ?? NEWLINE;
  return Buffer.concat([line.subarray(0, start), insert, line.subarray(start + roll(60))]);
};

const flipBits: Mutation = (line, roll) => {
  const flipped = Uint8Array.from(line);
  for (let n = 1 + roll(4); n > 0; n -= 1) {
    const at = roll(line.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << roll(8));
  }
  return flipped;
};

const cut: Mutation = (line, roll) => line.subarray(roll(line.length), 1 + roll(line.length));

/** The end is missing, and the next record follows on the same line. */
const runInto: Mutation = (line, roll) => Buffer.concat([line.subarray(0, roll(line.length)), line]);

const OTHER_TYPES = ["null", "-5", "1e400", '"x"', "[]", "{}", "true", '[{"type":"tool_result"}]'];

/** One value is of another type than any writer gives it. */
const retype: Mutation = (line, roll) => {
  const text = Buffer.from(line).toString("latin1");
  const values = [...text.matchAll(/:("[^"]*"|\d+|\{|\[|null|true|false)/g)];
  const value = values[roll(values.length)];
  if (value === undefined) return line;
  const from = value.index + 1;
  const other = OTHER_TYPES[roll(OTHER_TYPES.length)] ?? "null";
  return Buffer.from(text.slice(0, from) + other + text.slice(value.index + value[0].length), "latin1");
};

const MUTATIONS = [replace, flipBits, cut, runInto, retype];

/** It stays one line: what stands in others must not change. */
function mutated(line: Uint8Array, roll: (below: number) => number): Uint8Array {
  const text = (MUTATIONS[roll(MUTATIONS.length)] ?? replace)(line, roll);
  return text.map((byte) => (byte === 0x0a ? 0x20 : byte));
}

const MUTANTS = 24;
/** `LOOPWRIGHT_MUTATIONS` lines in all, half of each agent. */
const RUNS = Math.ceil(Number(process.env["LOOPWRIGHT_MUTATIONS"] ?? 24_000) / 2 / MUTANTS);
/** A line that takes longer than this on average hangs its reader. */
const TIMEOUT_MS = 20_000 + RUNS * MUTANTS;

test(
  "mutated lines of a transcript never crash the reader nor change what the others say",
  () => {
    const intact = Array.from({ length: 5 }, (_, i) =>
      encoder.encode(
        JSON.stringify(
          assistant({
            id: `intact${i}`,
            ref: `intact-ref${i}`,
            session: "s",
            usage: usageOf(10 + i, 100 + i),
          }),
        ),
      ),
    );
    const victims = [
      assistant({ id: "victim", ref: "victim-ref", usage: usageOf(1000, 1000) }),
      prompt({ session: "s" }),
      { type: "cost-state", modelUsage: { m: { inputTokens: 5 } } },
    ].map((line) => encoder.encode(JSON.stringify(line)));
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const roll = dice(seed);
        const parser = new ClaudeParser(claudeFile(`${PROJECT}/s.jsonl`));
        for (let i = 0; i < MUTANTS; i += 1) {
          parser.push(intact[i % 5] ?? NEWLINE);
          parser.push(NEWLINE);
          parser.push(mutated(victims[roll(victims.length)] ?? NEWLINE, roll));
          parser.push(NEWLINE);
        }
        const calls = mergeClaude([parser.finish()]).sessions.flatMap((session) => session.calls);
        const kept = calls.filter(
          (call) => (call.usage.inputTokens ?? 0) >= 10 && (call.usage.outputTokens ?? 0) >= 100,
        );
        const found = kept.map((call) => `${call.usage.inputTokens}/${call.usage.outputTokens}`);
        expect(found).toEqual(expect.arrayContaining(["10/100", "11/101", "12/102", "13/103", "14/104"]));
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

test(
  "mutated lines of a rollout never crash the reader nor change what the others say",
  () => {
    const intact = Array.from({ length: 5 }, (_, i) => {
      const counts = { input: 10 + i, output: 100 + i };
      return encoder.encode(JSON.stringify(billedResponse(1, `intact${i}`, counts, counts)));
    });
    const big = { input: 1000, output: 1000 };
    const victims = [billedResponse(1, "victim", big, big), turn("m")].map((line) =>
      encoder.encode(JSON.stringify(line)),
    );
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const roll = dice(seed);
        const parser = new CodexParser(codexFile(rolloutPath(1)));
        parser.push(encoder.encode(`${JSON.stringify(meta(1))}\n`));
        for (let i = 0; i < MUTANTS; i += 1) {
          parser.push(intact[i % 5] ?? NEWLINE);
          parser.push(NEWLINE);
          parser.push(mutated(victims[roll(victims.length)] ?? NEWLINE, roll));
          parser.push(NEWLINE);
        }
        const calls = mergeCodex([parser.finish()]).sessions.flatMap((session) => session.calls);
        const found = calls.map((call) => `${call.usage.inputTokens}/${call.usage.outputTokens}`);
        expect(found).toEqual(expect.arrayContaining(["10/100", "11/101", "12/102", "13/103", "14/104"]));
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

const corpus = sharedData("corpus/logs");

function filesBelow(dir: string, suffix: RegExp): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .map((name) => join(dir, name))
    .filter((path) => suffix.test(path) && statSync(path).isFile());
}

test.skipIf(corpus === undefined)("the result does not depend on the order of the files", () => {
  const claude = filesBelow(join(corpus ?? HOME, "claude-code"), /projects.*\.jsonl$/).map((path) => {
    const parser = new ClaudeParser(claudeFile(path));
    parser.push(readFileSync(path));
    return parser.finish();
  });
  const codex = filesBelow(join(corpus ?? HOME, "codex"), /rollout-.*\.jsonl$/).map((path) => {
    const parser = new CodexParser(codexFile(path));
    parser.push(readFileSync(path));
    return parser.finish();
  });
  const [claudeWhole, codexWhole] = [mergeClaude(claude), mergeCodex(codex)];
  fc.assert(
    fc.property(fc.shuffledSubarray(claude, { minLength: claude.length }), (shuffled) => {
      expect(mergeClaude(shuffled)).toEqual(claudeWhole);
    }),
    { numRuns: 25 },
  );
  fc.assert(
    fc.property(fc.shuffledSubarray(codex, { minLength: codex.length }), (shuffled) => {
      expect(mergeCodex(shuffled)).toEqual(codexWhole);
    }),
    { numRuns: 25 },
  );
});
