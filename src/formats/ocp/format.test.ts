import fc from "fast-check";
import { expect, test } from "vitest";
import { formatOcp } from "./format.ts";
import { readJson } from "./json-text.ts";

test("a document is indented by two spaces, keeps non-ASCII and ends with a newline", () => {
  expect(formatOcp({ a: [1, { b: "ü" }], c: {}, d: [], e: undefined })).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": "ü"\n    }\n  ],\n  "c": {},\n  "d": []\n}\n',
  );
});

test("a number keeps the form it was written in", () => {
  const text = '{\n  "usd": 1.0,\n  "list": [\n    2e3,\n    12345678901234567890\n  ]\n}\n';
  const read = readJson(text);
  expect(read.ok && formatOcp(read.value, read.numbers)).toBe(text);
});

test("the reader agrees with JSON.parse on every JSON text", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const read = readJson(text);
      expect(read.ok && read.value).toEqual(JSON.parse(text));
    }),
  );
});

test("the reader refuses what JSON.parse refuses", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom("", "}", ",", '"', "\\", "x", "-"), (text, at, more) => {
      const broken = text.slice(0, at % (text.length + 1)) + more;
      let isJson = true;
      try {
        JSON.parse(broken);
      } catch {
        isJson = false;
      }
      expect(readJson(broken).ok).toBe(isJson);
    }),
  );
});
