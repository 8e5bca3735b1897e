import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "../../testing/log-reference.ts";
import { sourceHash } from "../../testing/source-hash.ts";
import { count, type Fields, fields, list, text, timeMs } from "../fields.ts";
import { LINE_CAP_BYTES } from "../line-blocks.ts";
import { type RecordVisitor, Sift, type SiftedKind, SiftedLines } from "./index.ts";
import { SIFT_SOURCE_SHA256 } from "./wasm.ts";

const PATHS = {
  type: "type",
  id: "id",
  at: "a_key_of_some_length",
  message: "message",
  messageId: "message.id",
  list: "message.content",
  element: "message.content[]",
  elementType: "message.content[].type",
  elementId: "message.content[].id",
  usage: "message.usage",
  usageId: "message.usage.id",
  usageList: "message.usage.a_key_of_some_other",
};
type Name = keyof typeof PATHS;
const SINGLE = ["type", "id", "at", "message", "messageId", "list", "usage"] as const;
const IN_USAGE = ["usageId", "usageList"] as const;
const KIND: SiftedKind<Name, never> = {
  paths: PATHS,
  times: ["a_key_of_some_length"],
  kept: ["message.usage"],
  idle: new Set(["idle"]),
  passed: {},
};
const KEYS = ["type", "id", "message", "content", "usage", "a_key_of_some_length", "a_key_of_some_other"];
const sift = new Sift(KIND);

interface Told {
  readonly records: [number, unknown][];
  readonly damage: [number, string][];
}

/** What is told of one member, whatever it is. */
interface Asked {
  text(name: Name): string | undefined;
  count(name: Name): number | undefined;
  isTrue(name: Name): boolean;
  isObject(name: Name): boolean;
  isEmptyList(name: Name): boolean;
  has(name: Name): boolean;
}

function answers(names: readonly Name[], asked: Asked): unknown {
  return names.map((name) => [
    name,
    asked.text(name),
    asked.count(name),
    asked.isTrue(name),
    asked.isObject(name),
    asked.isEmptyList(name),
    asked.has(name),
  ]);
}

/** The members of a record that was parsed whole. */
function viewOf(record: Fields): unknown {
  const at = (name: Name): unknown =>
    PATHS[name].split(".").reduce<unknown>((value, key) => fields(value)?.[key], record);
  const asked: Asked = {
    text: (name) => text(at(name)),
    count: (name) => {
      try {
        return count(at(name));
      } catch {
        return Number.NaN;
      }
    },
    isTrue: (name) => at(name) === true,
    isObject: (name) => fields(at(name)) !== undefined,
    isEmptyList: (name) => list(at(name)).length === 0,
    has: (name) => at(name) !== undefined,
  };
  const held = list(at("list")).some(
    (entry) => fields(entry)?.["type"] === "x" && text(fields(entry)?.["id"]) !== undefined,
  );
  const isUsed = asked.isObject("usage");
  return [answers(SINGLE, asked), isUsed && answers(IN_USAGE, asked), timeMs(at("at")), held];
}

/** The same by the machine's members, with the memory of repeated objects that readers have. */
function shortView(usages: Map<number, unknown>): unknown {
  const { line, members } = sift;
  const asked: Asked = {
    text: (name) => line.text(members[name]),
    count: (name) => line.count(members[name]),
    isTrue: (name) => line.isTrue(members[name]),
    isObject: (name) => line.isObject(members[name]),
    isEmptyList: (name) => line.isEmptyList(members[name]),
    has: (name) => line.has(members[name]),
  };
  const isUsed = asked.isObject("usage");
  const version = line.version(members.usage);
  if (isUsed && !line.isSkipped(members.usage)) usages.set(version, answers(IN_USAGE, asked));
  const held = line.holdsObject(members.element, members.elementType, "x", members.elementId);
  return [answers(SINGLE, asked), isUsed && usages.get(version), line.timeMs(members.at), held];
}

function listener(told: Told): RecordVisitor {
  return {
    record: (record, number) => told.records.push([number, viewOf(record)]),
    damage: (number, reason) => told.damage.push([number, reason]),
  };
}

/** For the whole file: the machine is shared, and so is what it remembers. */
const usages = new Map<number, unknown>();

/** A line that was never told may have left an object behind: one that repeats it must be read whole. */
function knowsUsage(): boolean {
  const { line, members } = sift;
  return !line.isSkipped(members.usage) || usages.has(line.version(members.usage));
}

function sifted(chunks: readonly Uint8Array[]): Told {
  const told: Told = { records: [], damage: [] };
  const lines = new SiftedLines(sift, {
    ...listener(told),
    take: (number) => knowsUsage() && told.records.push([number, shortView(usages)]) > 0,
  });
  for (const chunk of chunks) lines.push(chunk);
  lines.finish();
  return told;
}

function parsed(bytes: Uint8Array): Told {
  const told: Told = { records: [], damage: [] };
  readLines(bytes, KIND.idle, listener(told));
  return told;
}

const strings = fc.oneof(
  fc.constantFrom(
    "",
    "idle",
    "2026-11-01T10:00:00.123Z",
    "2015-01-31T00:00:00.000Z",
    "x",
    "\\",
    '"',
    "\n",
    "\u0000",
    "ü",
    "日本",
    "\ud800",
    "{}",
  ),
  fc.string({ unit: "binary", maxLength: 90 }),
  // Runs of backslashes and quotes across the borders of what is read at once.
  fc
    .array(fc.constantFrom("\\", '"', "plain text ", "\t", "é"), { maxLength: 90 })
    .map((parts) => parts.join("")),
);
const scalar = fc.oneof(strings, fc.double({ noNaN: true }), fc.integer(), fc.boolean(), fc.constant(null));
const key = fc.oneof(fc.constantFrom(...KEYS), fc.constantFrom("", "ID", "usages", "typ"), strings);
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

test("two readings that take turns are told what each would be told alone", () => {
  const lines = fc.array(line, { maxLength: 5 });
  fc.assert(
    fc.property(lines, lines, fc.array(fc.nat(60), { maxLength: 40 }), (one, other, sizes) => {
      const files = [one, other].map((file) => {
        const told: Told = { records: [], damage: [] };
        const bytes = Buffer.concat(file.flatMap((made) => [made, Buffer.from("\n")]));
        // Read whole: what the machine remembers of one file must not be asked for the other.
        return { told, bytes, lines: new SiftedLines(sift, listener(told)), at: 0 };
      });
      for (const size of [...sizes, Infinity]) {
        for (const file of files) {
          file.lines.push(file.bytes.subarray(file.at, file.at + size));
          file.at = Math.min(file.bytes.length, file.at + size);
        }
      }
      for (const { lines, told, bytes } of files) {
        lines.finish();
        expect(told).toEqual(parsed(bytes));
      }
    }),
    { numRuns: 200 },
  );
});

/** What may stand in place of a text or a number of an earlier line, as it is written. */
const written = fc.oneof(
  fc.constantFrom(
    "0",
    "-0",
    "7",
    "01",
    "1.",
    "-",
    "1e5",
    "1E+2",
    "0.5",
    "12345678",
    "123456789",
    "1234567890123456",
  ),
  fc.constantFrom(
    "true",
    "null",
    "tru",
    "[]",
    "{}",
    '"',
    '""',
    '"idle"',
    '"x"',
    '"\\b\\r\\u00e9"',
    '"\\u12"',
    '"\\q"',
  ),
  strings.map((text) => JSON.stringify(text)),
  fc
    .array(fc.constantFrom("\\n", '\\"', "\\\\", "a", "plain words "), { maxLength: 60 })
    .map((parts) => `"${parts.join("")}"`),
);

/** As JSON, with what `leaf` gives in place of texts and numbers. */
function writtenWith(value: unknown, leaf: (own: string) => string): string {
  if (Array.isArray(value)) return `[${value.map((entry) => writtenWith(entry, leaf)).join(",")}]`;
  const members = fields(value);
  if (members === undefined) return leaf(JSON.stringify(value));
  const pairs = Object.entries(members).map(
    ([name, entry]) => `${JSON.stringify(name)}:${writtenWith(entry, leaf)}`,
  );
  return `{${pairs.join(",")}}`;
}

test("a line with the shape of earlier ones is told as if it had been parsed whole", () => {
  const alike = fc.tuple(record, fc.array(fc.array(fc.option(written), { maxLength: 9 }), { maxLength: 6 }));
  fc.assert(
    fc.property(fc.array(alike, { minLength: 1, maxLength: 3 }), fc.option(damage), (shapes, harm) => {
      const lines = shapes.flatMap(([made, others]) =>
        [[], [], ...others].map((leaves) => {
          let next = 0;
          return writtenWith(made, (own) => leaves[next++] ?? own);
        }),
      );
      const bytes = Buffer.from(`${lines.join("\n")}\n`);
      const read = harm === null ? bytes : damaged(bytes, harm);
      expect(sifted([read])).toEqual(parsed(read));
    }),
    { numRuns: 600 },
  );
});

test("more shapes than there is room for are told like few", () => {
  const lines = Array.from({ length: 6000 }, (_, i) => {
    const name = `${i % 5000}`.padStart(20, "n");
    return `{"type":"${i % 3 === 0 ? "idle" : "x"}","id":${i},"message":{"content":[{"type":"x","id":"${i}"}],"${name}":{"${name}":[${i}]}}}`;
  });
  const text = [...lines, ...lines.slice(0, 3)].join("\n");
  expectSame(text, text);
});

/** What is told of a text, beside what is told of another. */
function expectSame(content: string, other: string): void {
  expect(sifted([Buffer.from(content)])).toEqual(parsed(Buffer.from(other)));
}

test("of two members with one name the last counts", () => {
  expectSame(
    '{"id":1,"message":{"id":2,"usage":3},"id":4,"message":{"id":5}}',
    '{"id":4,"message":{"id":5}}',
  );
  expectSame('{"message":{"content":[{"type":"x","id":"a","type":"y"}]}}', '{"message":{"content":[{}]}}');
});

test("a name written with escapes is the name it stands for", () => {
  expectSame('{"\\u0069d":1}', '{"id":1}');
});

test("an object that repeats the last one to the letter is told again", () => {
  const line = '{"message":{"usage":{"id":3,"x":"y"},"id":"a"}}';
  const other = '{"message":{"usage":{"id":4,"x":"y"},"id":"a"}}';
  const lines = [line, line, other, '{"message":{"usage":{"id":4,"x":"y"}x}}', other, line].join("\n");
  expectSame(lines, lines);
});

test("a time is told to the millisecond, whatever the day", () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date("2014-12-01"), max: new Date("2101-02-01"), noInvalidDate: true }),
      (at) => {
        const line = JSON.stringify({ a_key_of_some_length: at.toISOString() });
        expectSame(line, line);
      },
    ),
    { numRuns: 500 },
  );
});

test("a record with more members in lists than the tape holds, or deeper ones, is parsed whole", () => {
  const many = `{"message":{"content":[${Array.from({ length: 5000 }, () => '{"id":1}').join(",")}]},"id":7}`;
  expectSame(many, many);
  const deep = `{"id":8,"x":${"[".repeat(3000)}${"]".repeat(3000)}}`;
  expectSame(deep, deep);
});

test("a line longer than a block is read, one longer than the cap is damage", () => {
  const filler = Buffer.alloc(1024 * 1024, "x");
  const long = [Buffer.from('{"content":"'), filler, Buffer.from('","id":1}\n')];
  expect(sifted(long)).toEqual(parsed(Buffer.from('{"id":1}')));
  const fillers = Array.from({ length: LINE_CAP_BYTES / filler.length + 1 }, () => filler);
  const start = Buffer.from('{"content":"');
  for (const chunks of [[start, ...fillers], fillers.slice(1).concat(Buffer.from("xx"))]) {
    const told = sifted([...chunks, Buffer.from('"}\n{"id":2}\n')]);
    expect(told.records).toEqual([[2, viewOf({ id: 2 })]]);
    expect(told.damage).toEqual([[1, `longer than ${LINE_CAP_BYTES} bytes`]]);
  }
  expect(sifted([start, ...fillers]).damage).toEqual([[1, `longer than ${LINE_CAP_BYTES} bytes`]]);
});

test("the built machine is made from the sources that stand beside its build script", () => {
  expect(sourceHash("sift")).toBe(SIFT_SOURCE_SHA256);
});

test("every day of a leap cycle, and what is no day, is the time that the whole line has", () => {
  for (let year = 2023; year <= 2027; year += 1) {
    for (let month = 1; month <= 12; month += 1) {
      for (let day = 0; day <= 32; day += 1) {
        const digits = [month, day].map((part) => String(part).padStart(2, "0")).join("-");
        const bytes = Buffer.from(`{"a_key_of_some_length":"${year}-${digits}T23:59:59.999Z"}\n`);
        expect(sifted([bytes])).toEqual(parsed(bytes));
      }
    }
  }
});
