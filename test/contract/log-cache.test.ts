import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { logCache } from "../../src/adapters/log-cache/index.ts";
import { logFiles } from "../../src/adapters/log-files/index.ts";
import { scanLogs } from "../../src/logs/scan.ts";
import { summarise } from "../../src/logs/summary.ts";
import { type ScanPorts, type SummaryScan, scanSummary } from "../../src/logs/summary-scan.ts";
import { scanTotals, type TotalsScan } from "../../src/logs/totals-scan.ts";
import type { LogCache } from "../../src/ports/log-source.ts";
import { assistant, prompt, usageOf } from "../../src/testing/claude-lines.ts";
import { billedResponse, meta, turn } from "../../src/testing/codex-lines.ts";
import { readersHere } from "../../src/testing/log-readers.ts";
import { sharedData } from "../golden/shared-data.ts";

const folder = mkdtempSync(join(tmpdir(), "loopwright-log-cache-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ports(cache?: LogCache): ScanPorts {
  const source = logFiles();
  return {
    source,
    readers: readersHere(source, cache),
    ...(cache === undefined ? {} : { cache }),
  };
}

function scan(home: string, cache?: LogCache, nowMs = Date.now() + 1e9): Promise<SummaryScan> {
  const env = { homeDir: home, variables: {} };
  return scanSummary(ports(cache), env, nowMs);
}

function totals(home: string, cache?: LogCache, nowMs = Date.now() + 1e9): Promise<TotalsScan> {
  return scanTotals(ports(cache), { homeDir: home, variables: {} }, nowMs);
}

function told<T extends { readonly filesRead: number }>(scanned: T): Omit<T, "filesRead"> {
  const { filesRead: _, ...rest } = scanned;
  return rest;
}

const CLAUDE = ["s1", "s2", "s3"];
let serial = 0;

/** A line of a transcript. Ids are few, so that files come to share calls. */
function claudeLine(session: string, n: number): string {
  serial += 1;
  if (n % 5 === 0) return JSON.stringify(prompt({ session }));
  if (n % 7 === 0) return "{broken";
  const id = n % 3 === 0 ? `shared${n % 4}` : `${session}-${serial}`;
  return JSON.stringify(
    assistant({ id, uuid: `u-${id}`, session, request: `r-${id}`, usage: usageOf(10, n), at: at(n) }),
  );
}

function at(n: number): string {
  return new Date(Date.UTC(2026, 10, 1, 0, n * 7)).toISOString();
}

interface World {
  readonly home: string;
  touch(path: string): void;
}

type Step = readonly [kind: number, file: number, n: number];

function act({ home, touch }: World, [kind, file, n]: Step): void {
  const session = CLAUDE[file % 3] ?? "s1";
  const isCodex = file >= 4;
  const path = isCodex
    ? join(home, ".codex/sessions/2026/11/01", `rollout-2026-11-01T00-00-00-${thread(file)}.jsonl`)
    : join(home, ".claude/projects/-p", file === 3 ? `s1/subagents/agent-x.jsonl` : `${session}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const line = isCodex ? codexLine(file, n) : claudeLine(session, n);
  switch (kind) {
    case 0:
    case 1:
    case 2:
      appendFileSync(path, `${line}\n`);
      break;
    case 3:
      // The end of a line that is still being written.
      appendFileSync(path, line.slice(0, n % 2 === 0 ? line.length : line.length >> 1));
      break;
    case 4:
      writeFileSync(path, `${line}\n${line}\n`);
      break;
    case 5: {
      // Another, longer file in its place.
      const other = `${path}.new`;
      writeFileSync(
        other,
        `${Array.from({ length: 20 }, (_, i) => claudeLine(session, n + i)).join("\n")}\n`,
      );
      renameSync(other, path);
      break;
    }
    default:
      rmSync(path, { force: true });
      return;
  }
  touch(path);
}

function thread(file: number): string {
  return `00000000-0000-4000-8000-00000000000${file}`;
}

function codexLine(file: number, n: number): string {
  serial += 1;
  const counts = { input: 10 + n, output: n };
  if (n % 6 === 0) return JSON.stringify(meta(file));
  return JSON.stringify(n % 4 === 0 ? turn("m") : billedResponse(file, `r${serial}`, counts, counts));
}

const steps = fc.array(
  fc.array(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 5 }), fc.nat({ max: 40 })), { maxLength: 6 }),
  { minLength: 2, maxLength: 6 },
);

test("a scan with memory gives what a scan without gives, whatever happened to the files in between", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(1, 400, 1e9), async (rounds, longFileBytes) => {
      run += 1;
      const home = join(folder, `p${run}`);
      let seconds = 1_700_000_000;
      const touch = (path: string): void => {
        seconds += 1;
        utimesSync(path, seconds, seconds);
      };
      const cache = logCache(join(home, "cache"), longFileBytes);
      for (const round of rounds) {
        for (const step of round) act({ home, touch }, step);
        const remembered = await scan(home, cache);
        expect(told(remembered)).toEqual(told(await scan(home)));
        const again = await scan(home, cache);
        expect(told(again)).toEqual(told(remembered));
        expect(again.filesRead).toBe(0);
        const sums = told(await totals(home));
        for (const of of [await totals(home, cache), await totals(home, cache)])
          expect(told(of)).toEqual(sums);
      }
      rmSync(home, { recursive: true, force: true });
    }),
    { numRuns: 60 },
  );
}, 60_000);

function aHome(name: string): { home: string; path: string; cache: LogCache } {
  const home = join(folder, name);
  const path = join(home, ".claude/projects/-p/s1.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${claudeLine("s1", 1)}\n`);
  return { home, path, cache: logCache(join(home, "cache"), 1) };
}

test("totals with nothing new come without the index", async () => {
  const { home, path, cache } = aHome("totals");
  const first = await totals(home, cache);
  expect(first).toMatchObject({ filesRead: 1, agents: [{ agent: "claude-code", sessions: 1 }] });
  rmSync(join(home, "cache", "index"));
  expect(await totals(home, cache)).toEqual({ ...first, filesRead: 0 });
  appendFileSync(path, `${claudeLine("s1", 2)}\n`);
  expect(told(await totals(home, cache))).toEqual(told(await totals(home)));
});

test("after new lines only the files that got them are read", async () => {
  const { home, path, cache } = aHome("growth");
  writeFileSync(path.replace("s1", "s2"), `${claudeLine("s2", 1)}\n`);
  await scan(home, cache);
  appendFileSync(path, `${claudeLine("s1", 2)}\n`);
  const after = await scan(home, cache);
  expect(after.filesRead).toBe(1);
  expect(after.sessions.map((session) => session.rows.length > 0)).toEqual([true, true]);
});

test("a file that a longer one replaced in place, which looks like growth, is read from the start", async () => {
  const { home, path, cache } = aHome("replaced");
  await scan(home, cache);
  // The same inode, longer, with other lines where the first ones stood.
  writeFileSync(path, `${claudeLine("s1", 3)}\n${claudeLine("s1", 5)}\n${claudeLine("s1", 7)}\n`);
  expect(told(await scan(home, cache))).toEqual(told(await scan(home)));
});

test("a file that may still change unseen is not trusted the next time", async () => {
  const { home, cache } = aHome("young");
  await scan(home, cache, Date.now());
  expect((await scan(home, cache, Date.now())).filesRead).toBe(1);
  await totals(home, cache, Date.now());
  expect((await totals(home, cache, Date.now())).filesRead).toBe(1);
});

test("a damaged cache costs time, not the result", async () => {
  const { home, cache } = aHome("damaged");
  const whole = await scan(home, cache);
  const sums = await totals(home, cache);
  for (const damage of ["", "nonsense", "loopwright-logs/4\n{broken\nnull\n{}"]) {
    writeFileSync(join(home, "cache", "index"), damage);
    for (const name of readdirSync(join(home, "cache", "long"))) {
      writeFileSync(join(home, "cache", "long", name), '{"offset":1e9}');
    }
    writeFileSync(join(home, "cache", "totals"), damage);
    expect(told(await scan(home, cache))).toEqual(told(whole));
    expect(told(await totals(home, cache))).toEqual(told(sums));
  }
});

test("a cache in which some byte is another, or of which the end is gone, gives the result of none", async () => {
  const { home, path, cache } = aHome("rotten");
  writeFileSync(path.replace("s1", "s2"), `${claudeLine("s2", 1)}\n`);
  const [whole, sums] = [told(await scan(home)), told(await totals(home))];
  const where = join(home, "cache");
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, bits, isCut) => {
      await scan(home, cache);
      await totals(home, cache);
      const long = readdirSync(join(where, "long")).map((name) => join("long", name));
      for (const name of ["index", "totals", ...long]) {
        const bytes = readFileSync(join(where, name));
        const place = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(place) ^ bits, place);
        writeFileSync(join(where, name), isCut ? bytes.subarray(0, place) : bytes);
      }
      expect(told(await totals(home, cache))).toEqual(sums);
      expect(told(await scan(home, cache))).toEqual(whole);
    }),
    { numRuns: 100 },
  );
});

test("scans at the same time do not spoil each other", async () => {
  const { home, path, cache } = aHome("parallel");
  for (let i = 0; i < 20; i += 1) {
    appendFileSync(path, `${claudeLine("s1", i)}\n`);
    await Promise.all([scan(home, cache), scan(home, logCache(join(home, "cache"), 1)), scan(home, cache)]);
  }
  expect(told(await scan(home, cache))).toEqual(told(await scan(home)));
});

test("a cache that cannot be written is no failure", async () => {
  const { home } = aHome("unwritable");
  writeFileSync(join(home, "blocked"), "");
  const cache = logCache(join(home, "blocked", "cache"), 1);
  expect(told(await scan(home, cache))).toEqual(told(await scan(home)));
});

const corpus = sharedData("corpus/logs/claude-code");

test.skipIf(corpus === undefined)("sums by session say the same as single calls", async () => {
  for (const name of readdirSync(corpus ?? "")) {
    const home = join(corpus ?? "", name);
    const calls = await scanLogs(logFiles(), { homeDir: home, variables: {} });
    const single = summarise("claude-code", calls.claudeCode);
    expect((await scan(home)).sessions).toEqual(single.sessions);
  }
});
