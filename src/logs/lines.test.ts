import fc from "fast-check";
import { expect, test } from "vitest";
import { LINE_CAP_BYTES } from "./line-blocks.ts";
import { LineScanner } from "./lines.ts";

interface Read {
  readonly lines: [number, string, number][];
  readonly damage: [number, string][];
  completeBytes: number;
}

function read(chunks: readonly Uint8Array[], markers: readonly string[] = []): Read {
  const found: Read = { lines: [], damage: [], completeBytes: 0 };
  const scanner = new LineScanner(markers, {
    line: (line) => found.lines.push([line.number, line.text(), line.marks]),
    damage: (number, reason) => found.damage.push([number, reason]),
  });
  for (const chunk of chunks) scanner.push(chunk);
  scanner.finish();
  found.completeBytes = scanner.completeBytes;
  return found;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("lines end at a newline only, not at the separators that JSON text may hold", () => {
  const text = '{"a":"x\u2028y\u2029z\u0085"}';
  expect(read([bytes(`${text}\n`)]).lines).toEqual([[1, text, 0]]);
});

test("byte order mark, carriage returns, blanks and blank lines are dropped and lines keep their numbers", () => {
  expect(read([bytes('\uFEFF{"a":1}\r\n\r\n  {"b":2}\t \n\n{"c":3}')]).lines).toEqual([
    [1, '{"a":1}', 0],
    [3, '{"b":2}', 0],
    [5, '{"c":3}', 0],
  ]);
});

test("text that is no JSON is damage, a JSON value that is no object is not", () => {
  const found = read([bytes('null\n[]\n"x"\n42\n\0\0\n{"a":1\nfoo\n')]);
  expect(found.lines).toEqual([]);
  expect(found.damage.map(([line]) => line)).toEqual([5, 6, 7]);
});

test("invalid UTF-8 is replaced and the line still counts", () => {
  const line = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]);
  expect(read([line]).lines).toEqual([[1, '{"\uFFFD":1}', 0]]);
});

test("each marker is told per line", () => {
  const found = read([bytes('{"x":1}\n{"y":2}\n{"x":"y"}\n{}\n')], ['"x"', '"y"']);
  expect(found.lines.map(([, , marks]) => marks)).toEqual([1, 2, 3, 0]);
});

test("the end of the last whole line is known, so that a growing file can be read on from there", () => {
  expect(read([bytes('{"a":1}\n{"b":')]).completeBytes).toBe(8);
});

test("a line above the cap is skipped, reported and never held", () => {
  const chunk = new Uint8Array(1024 * 1024).fill(0x78);
  const chunks = function* (): Generator<Uint8Array> {
    yield bytes('{"a":1}\n');
    for (let i = 0; i < 2 * (LINE_CAP_BYTES / chunk.length); i += 1) yield chunk;
    yield bytes('\n{"b":2}\n');
  };
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const scanned: [number, string][] = [];
  const damage: number[] = [];
  const scanner = new LineScanner([], {
    line: (line) => scanned.push([line.number, line.text()]),
    damage: (number) => damage.push(number),
  });
  for (const part of chunks()) {
    scanner.push(part);
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  scanner.finish();
  expect(scanned).toEqual([
    [1, '{"a":1}'],
    [3, '{"b":2}'],
  ]);
  expect(damage).toEqual([2]);
  expect(most - before).toBeLessThan(1.5 * LINE_CAP_BYTES);
});

test("the same bytes give the same lines however they are cut", () => {
  const pieces = fc.constantFrom(
    '{"a":1}',
    '{"usage":{}}',
    "\n",
    "\r\n",
    "{",
    "}",
    " ",
    "x",
    "\uFEFF",
    "é",
    '"usage"',
  );
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 40 }),
      fc.array(fc.nat(200), { maxLength: 8 }),
      (parts, cuts) => {
        const whole = bytes(parts.join(""));
        const edges = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
          whole.length,
        ];
        const chunks = edges.slice(1).map((end, i) => whole.slice(edges[i], end));
        expect(read(chunks, ['"usage"'])).toEqual(read([whole], ['"usage"']));
      },
    ),
  );
});
