import { parseJestJson } from "./jest-json.ts";
import { parseJunit } from "./junit.ts";
import { parseMochaJson } from "./mocha-json.ts";
import { parseRspecJson } from "./rspec-json.ts";
import { parseTap } from "./tap.ts";
import type { ParseReport } from "./types.ts";

/** The reader of a report that a check names by its format. JSON may be that of Jest, Vitest, Mocha or RSpec. */
export function reportParser(format: "junit" | "tap" | "json"): ParseReport {
  switch (format) {
    case "junit":
      return parseJunit;
    case "tap":
      return parseTap;
    case "json":
      return parseJson;
  }
}

const parseJson: ParseReport = async (texts, context) =>
  (await parseJestJson(texts, context)) ??
  (await parseMochaJson(texts, context)) ??
  (await parseRspecJson(texts, context));
