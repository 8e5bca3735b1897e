import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StreamTail } from "./stream-tail.ts";

const MEGABYTE = 1024 * 1024;
let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "loopwright-tail-"));
  file = join(dir, "stream");
  writeFileSync(file, "");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("every byte is shown once and in order, however it was written and looked at, and the head is kept", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string(), { maxLength: 20 }), fc.nat(100), async (parts, capBytes) => {
      writeFileSync(file, "");
      let shown = "";
      const decoder = new TextDecoder();
      const tail = new StreamTail(file, capBytes, (chunk) => {
        shown += decoder.decode(chunk, { stream: true });
      });
      for (const part of parts) {
        appendFileSync(file, part);
        if (part.length % 2 === 0) tail.pump();
      }
      await tail.finish();
      const whole = Buffer.from(parts.join(""));
      expect(shown).toBe(whole.toString());
      expect(tail.totalBytes).toBe(whole.length);
      expect(readFileSync(file)).toEqual(whole.subarray(0, capBytes));
    }),
    { numRuns: 50 },
  );
});

test("a file beyond its cap is cut while it grows, and what was cut is counted", async () => {
  let shownBytes = 0;
  const tail = new StreamTail(file, MEGABYTE, (chunk) => {
    shownBytes += chunk.length;
  });
  for (let round = 1; round <= 10; round += 1) {
    appendFileSync(file, Buffer.alloc(4 * MEGABYTE));
    while (tail.pump().more);
    expect(readFileSync(file).length).toBeLessThanOrEqual(5 * MEGABYTE);
  }
  await tail.finish();
  expect(tail.totalBytes).toBe(40 * MEGABYTE);
  expect(shownBytes).toBe(40 * MEGABYTE);
  expect(readFileSync(file).length).toBe(MEGABYTE);
});

test("a consumer far behind loses the middle of the stream, never its head", async () => {
  const shown: number[] = [];
  const tail = new StreamTail(file, 8 * MEGABYTE, (chunk) => {
    shown.push(chunk[0] ?? -1);
  });
  appendFileSync(file, Buffer.alloc(8 * MEGABYTE, 1));
  appendFileSync(file, Buffer.alloc(30 * MEGABYTE, 2));
  tail.pump();
  appendFileSync(file, Buffer.alloc(MEGABYTE, 3));
  await tail.finish();
  expect(shown.filter((byte) => byte === 1).length * 64 * 1024).toBe(8 * MEGABYTE);
  expect(shown).not.toContain(2);
  expect(shown).toContain(3);
  expect(tail.totalBytes).toBe(39 * MEGABYTE);
});

test("a file that was emptied by its writer is followed from its new start", async () => {
  let shown = "";
  const tail = new StreamTail(file, MEGABYTE, (chunk) => {
    shown += Buffer.from(chunk).toString();
  });
  appendFileSync(file, "a long first text");
  tail.pump();
  truncateSync(file);
  appendFileSync(file, "anew");
  await tail.finish();
  expect(shown).toBe("a long first textanew");
  expect(tail.totalBytes).toBe(shown.length);
});
