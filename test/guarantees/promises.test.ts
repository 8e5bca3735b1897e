import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LOGS } from "./logs.ts";
import { PLANNING, PLANNING_OPEN } from "./planning.ts";
import { OPEN, PROMISES, type Promised, TRAPS } from "./promises.ts";
import { SESSION_OPEN, SESSION_PROMISES } from "./sessions.ts";

const ROOT = join(import.meta.dirname, "../..");
const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(ROOT, file), "utf8");
  texts.set(file, text);
  return text;
}

/** A title stands in its file as a text, or among the rows of a table of cases. */
function isHeld({ promise, file, title = promise }: Promised): boolean {
  return textOf(file).includes(title);
}

const PARTS = [PROMISES, TRAPS, PLANNING, LOGS, SESSION_PROMISES];

test.each(PARTS.flatMap((part) => Object.entries(part)))(
  "every test that %s is held to is there",
  (_part, promised) => {
    expect(promised.filter((one) => !isHeld(one))).toEqual([]);
  },
);

test("no promise is made twice, and none is both kept and open", () => {
  const kept = PARTS.flatMap((parts) => Object.values(parts).flat());
  const all = [...kept, ...OPEN, ...PLANNING_OPEN, ...SESSION_OPEN];
  const names = all.map(({ promise }) => promise);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
