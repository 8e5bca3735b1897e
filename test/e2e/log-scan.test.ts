import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fields, list } from "../../src/logs/fields.ts";
import { LINE_CAP_BYTES } from "../../src/logs/line-blocks.ts";
import { assistant, usageOf } from "../../src/testing/claude-lines.ts";

/** The built program on more than it reads with one thread. */
const PROGRAM = resolve(import.meta.dirname, "../../dist/cli.cjs");
const SESSIONS = 30;
const CALLS = 8;
/** 30 MB in all. */
const TEXT = "x".repeat(128 * 1024);

const folder = mkdtempSync(join(tmpdir(), "loopwright-log-scan-"));
const project = join(folder, ".claude/projects/-p");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function lineOf(session: number, call: number): string {
  const id = `${session}-${call}`;
  const content = [{ type: "text", text: TEXT }];
  return `${JSON.stringify(assistant({ id, session: `s${session}`, usage: usageOf(1000, 1), content }))}\n`;
}

function put(session: number, calls: number): string {
  const path = join(project, `s${session}.jsonl`);
  writeFileSync(path, Array.from({ length: calls }, (_, call) => lineOf(session, call)).join(""));
  return path;
}

beforeAll(() => {
  mkdirSync(project, { recursive: true });
  for (let session = 0; session < SESSIONS; session += 1) put(session, CALLS);
});

async function scan(home: string): Promise<Readonly<Record<string, unknown>>> {
  const env = { PATH: process.env["PATH"], HOME: folder };
  const argv = [PROGRAM, "scan", "--json", "--home", join(folder, home)];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env, maxBuffer: 1 << 26 });
  return fields(JSON.parse(stdout)) ?? {};
}

test("threads that share the files, and scans that share a memory, give the sum of all files", async () => {
  const all = { sessions: SESSIONS, calls: SESSIONS * CALLS, input_tokens: SESSIONS * CALLS * 1000 };
  const answers = await Promise.all([scan("shared"), scan("shared"), scan("alone")]);
  for (const answer of answers) expect(answer).toMatchObject({ ...all, damaged_lines: 0 });
  expect(await scan("shared")).toMatchObject(all);
});

test("grown, rewritten and shrunk files count as what they hold now", async () => {
  await scan("changing");
  appendFileSync(put(0, CALLS), lineOf(0, CALLS));
  truncateSync(join(project, "s1.jsonl"), lineOf(1, 0).length);
  put(2, 2);
  const calls = SESSIONS * CALLS + 1 - (CALLS - 1) - (CALLS - 2);
  expect(await scan("changing")).toMatchObject({ calls, damaged_lines: 0 });
});

test("truncated, garbled and overlong lines are named with file, line and reason", async () => {
  const path = join(project, "s3.jsonl");
  const garbled = lineOf(3, 1).replace("xxx", "x\0x");
  writeFileSync(path, `${lineOf(3, 0)}${garbled}{"type":"x","snapshot":"`);
  const filler = Buffer.alloc(1 << 20, "x");
  for (let bytes = 0; bytes <= LINE_CAP_BYTES; bytes += filler.length) appendFileSync(path, filler);
  appendFileSync(path, `"}\n${lineOf(3, 2)}${lineOf(3, 3).slice(0, 100)}`);
  const { damaged } = await scan("damaged");
  expect(list(damaged)).toEqual([
    { path, line: 2, reason: "broken JSON" },
    { path, line: 3, reason: `longer than ${LINE_CAP_BYTES} bytes` },
    { path, line: 5, reason: "broken JSON" },
  ]);
});
