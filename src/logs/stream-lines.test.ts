import { expect, test } from "vitest";
import { StreamLines } from "./stream-lines.ts";

const MEGABYTE = 1024 * 1024;

test("a message too long to hold is passed over without being held, and the next one is read", () => {
  const seen: unknown[] = [];
  const lines = new StreamLines((line) => seen.push(line));
  const chunk = new Uint8Array(MEGABYTE).fill(0x78);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  lines.push(new TextEncoder().encode('{"n":1}\n'));
  for (let i = 0; i < 40; i += 1) {
    lines.push(chunk);
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  lines.push(new TextEncoder().encode('\n{"n":2}\n'));
  lines.finish();
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
  expect(most - before).toBeLessThan(24 * MEGABYTE);
});

test("the end of a long text is kept, not its start", () => {
  const lines = new StreamLines(() => {});
  lines.push(new TextEncoder().encode(`${"a".repeat(MEGABYTE)} the last words\n`));
  lines.finish();
  expect(lines.plainText).toMatch(/^a+ the last words$/);
  expect(lines.plainText.length).toBeLessThanOrEqual(4000);
});
