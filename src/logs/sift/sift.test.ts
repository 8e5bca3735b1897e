import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "../../testing/log-reference.ts";
import { type Fields, fields } from "../fields.ts";
import { LINE_CAP_BYTES } from "../line-blocks.ts";
import { type RecordVisitor, Sift, type SiftedKind, SiftedLines } from "./index.ts";
import { SIFT_SOURCE_SHA256 } from "./wasm.ts";

const KIND: SiftedKind = {
  keys: ["type", "id", "message", "content", "usage", "a_key_of_some_length", "a_key_of_some_other"],
  notAsText: new Set(["content"]),
  idle: new Set(["idle"]),
  whole: new Set(["whole"]),
};
const sift = new Sift(KIND);

interface Told {
  readonly records: [number, unknown][];
  readonly damage: [number, string][];
}

function listener(told: Told): RecordVisitor {
  return {
    record: (record, number) => told.records.push([number, wanted(record)]),
    damage: (number, reason) => told.damage.push([number, reason]),
  };
}

/** What is left of a record when only wanted members count. */
function wanted(value: unknown, isWhole = fields(value)?.["type"] === "whole"): unknown {
  if (Array.isArray(value)) return value.map((item) => wanted(item, isWhole));
  const record = fields(value);
  if (record === undefined || isWhole) return value;
  const kept = Object.entries(record).filter(
    ([key, member]) => KIND.keys.includes(key) && !(KIND.notAsText.has(key) && typeof member === "string"),
  );
  return Object.fromEntries(kept.map(([key, member]) => [key, wanted(member)]));
}

function sifted(chunks: readonly Uint8Array[]): Told {
  const told: Told = { records: [], damage: [] };
  const lines = new SiftedLines(sift, listener(told));
  for (const chunk of chunks) lines.push(chunk);
  lines.finish();
  return told;
}

function parsed(bytes: Uint8Array): Told {
  const told: Told = { records: [], damage: [] };
  readLines(bytes, KIND.idle, listener(told));
  return told;
}

const text = fc.oneof(
  fc.constantFrom("", "idle", "whole", "x", "\\", '"', "\n", "\u0000", "ü", "日本", "\ud800", "{}"),
  fc.string({ unit: "binary", maxLength: 90 }),
  // Runs of backslashes and quotes across the borders of what is read at once.
  fc
    .array(fc.constantFrom("\\", '"', "plain text ", "\t", "é"), { maxLength: 90 })
    .map((parts) => parts.join("")),
);
const scalar = fc.oneof(text, fc.double({ noNaN: true }), fc.integer(), fc.boolean(), fc.constant(null));
const key = fc.oneof(fc.constantFrom(...KIND.keys), fc.constantFrom("", "ID", "usages", "typ"), text);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    scalar,
    fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
}));
const record = fc.dictionary(key, value, { maxKeys: 7 });
const spacing = fc.constantFrom(undefined, "\t", " ");

function lineOf(value: unknown, space: string | undefined): Buffer {
  return Buffer.from(JSON.stringify(value, null, space).replaceAll("\n", "\r"));
}

const line = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(record, spacing).map(([made, space]) => lineOf(made, space)) },
  { weight: 1, arbitrary: value.map((made) => lineOf(made, undefined)) },
);

const NOISE = [
  '"',
  "\\",
  "\\u12",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "0",
  "-",
  ".",
  "e",
  "\xff",
  "tru",
  "\0",
  " ",
  "\r",
];
const damage = fc.record({
  at: fc.nat(),
  cut: fc.nat(3),
  insert: fc.constantFrom("", ...NOISE),
  flip: fc.option(fc.nat(7)),
});
type Damage = typeof damage extends fc.Arbitrary<infer D> ? D : never;

function damaged(bytes: Buffer, { at, cut, insert, flip }: Damage): Buffer {
  const from = at % (bytes.length + 1);
  const rest = Buffer.from(bytes.subarray(Math.min(bytes.length, from + cut)));
  if (flip !== null && rest.length > 0) rest.writeUInt8(rest.readUInt8(0) ^ (1 << flip), 0);
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(insert, "latin1"), rest]);
}

test("a line is told as if it had been parsed whole, whatever it holds", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
      const bytes = Buffer.concat(lines.flatMap((one) => [one, Buffer.from("\n")]));
      expect(sifted([bytes])).toEqual(parsed(bytes));
    }),
    { numRuns: 400 },
  );
});

test("a damaged line is damage, or told as if it had been parsed whole", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(line, fc.array(damage, { maxLength: 3 })), { maxLength: 6 }), (lines) => {
      const bytes = Buffer.concat(
        lines.flatMap(([one, harm]) => [harm.reduce(damaged, one), Buffer.from("\n")]),
      );
      expect(sifted([bytes])).toEqual(parsed(bytes));
    }),
    { numRuns: 600 },
  );
});

test("the same bytes are told the same however they are cut", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), fc.array(fc.nat(400), { maxLength: 6 }), (lines, cuts) => {
      const bytes = Buffer.concat(lines.flatMap((one) => [one, Buffer.from("\r\n")]));
      const edges = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const chunks = edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
      expect(sifted(chunks)).toEqual(sifted([bytes]));
    }),
    { numRuns: 200 },
  );
});

const one = (content: string): Told => sifted([Buffer.from(content)]);
const recordOf = (content: string): Fields | undefined => fields(one(content).records[0]?.[1]);

test("of two members with one name the last counts", () => {
  expect(recordOf('{"id":1,"message":{"id":2,"usage":3},"id":4,"message":{"id":5}}')).toEqual({
    id: 4,
    message: { id: 5 },
  });
});

test("a name written with escapes is the name it stands for", () => {
  expect(recordOf('{"\\u0069d":1}')).toEqual({ id: 1 });
});

test("a record with more members or deeper ones than the tape holds is parsed whole", () => {
  const many = `{"message":[${Array.from({ length: 5000 }, () => '{"id":1}').join(",")}],"id":7}`;
  expect(recordOf(many)?.["id"]).toBe(7);
  const deep = `{"id":8,"x":${"[".repeat(3000)}${"]".repeat(3000)}}`;
  expect(recordOf(deep)).toEqual({ id: 8 });
});

test("a line longer than a block is read, one longer than the cap is damage", () => {
  const filler = Buffer.alloc(1024 * 1024, "x");
  const long = [Buffer.from('{"content":"'), filler, Buffer.from('","id":1}\n')];
  expect(sifted(long).records).toEqual([[1, { id: 1 }]]);
  const fillers = Array.from({ length: LINE_CAP_BYTES / filler.length + 1 }, () => filler);
  const told = sifted([Buffer.from('{"content":"'), ...fillers, Buffer.from('"}\n{"id":2}\n')]);
  expect(told.records).toEqual([[2, { id: 2 }]]);
  expect(told.damage).toEqual([[1, `longer than ${LINE_CAP_BYTES} bytes`]]);
});

test("the built machine is made from the source that stands beside its build script", () => {
  const source = readFileSync(resolve(import.meta.dirname, "../../../scripts/sift/sift.ts"));
  expect(createHash("sha256").update(source).digest("hex")).toBe(SIFT_SOURCE_SHA256);
});
