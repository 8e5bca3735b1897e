import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scan } from "../../src/commands/scan.ts";
import type { CommandContext, CommandInput } from "../../src/commands/types.ts";
import { compose } from "../../src/compose.ts";
import type { JsonObject } from "../../src/core/canonical-json.ts";
import { assistant, usageOf } from "../../src/testing/claude-lines.ts";
import { bytesOf } from "../../src/testing/memory-logs.ts";

const folder = mkdtempSync(join(tmpdir(), "loopwright-log-watch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const START = Date.parse("2026-11-01T10:00:00.000Z");
let serial = 0;

/** A million tokens of input: four dollars. */
function call(atMs: number): object {
  serial += 1;
  const at = new Date(atMs).toISOString();
  return assistant({ session: "s1", id: `m${serial}`, uuid: `u${serial}`, at, usage: usageOf(1_000_000, 0) });
}

/** Follows a log for some looks, a minute apart; `between` happens before each of them. */
async function follow(
  name: string,
  looks: number,
  between: (path: string, look: number, nowMs: number) => void,
  flags: CommandInput["flags"] = {},
): Promise<readonly JsonObject[]> {
  const home = join(folder, name);
  const path = join(home, ".claude/projects/-p/s1.jsonl");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, bytesOf([call(START - 1000)]));
  const lines: JsonObject[] = [];
  const quiet = (): void => {};
  let interrupt = quiet;
  let nowMs = START;
  const real = compose({
    env: { HOME: home, PATH: process.env["PATH"] },
    cwd: home,
    home: join(home, "store"),
    version: "0",
    nodeVersion: process.version,
    yes: false,
    talk: quiet,
    emit: (_, line) => lines.push(line),
    confirm: undefined,
    progress: undefined,
    onInterrupt: (callback) => {
      interrupt = () => callback("SIGINT", 1);
      return quiet;
    },
  });
  const context: CommandContext = {
    ...real,
    now: () => nowMs,
    sleep: async () => {
      nowMs += 60_000;
      if (lines.length === looks) interrupt();
      else between(path, lines.length, nowMs);
    },
  };
  const result = await scan.run(context, { flags: { watch: true, ...flags }, args: [] });
  expect(result.ok && result.value.streamed).toBe(true);
  return lines;
}

test("what an agent writes while it is followed shows as spent since the start, with its pace", async () => {
  const lines = await follow("grows", 3, (path, look, nowMs) => {
    if (look < 2) appendFileSync(path, bytesOf([call(nowMs)]));
  });
  expect(lines.map(({ cost_usd, usd_per_minute, calls }) => [cost_usd, usd_per_minute, calls])).toEqual([
    [4, 4, 1],
    [8, 4, 2],
    [8, 2.666667, 2],
  ]);
  expect(lines[0]).toMatchObject({ tokens: 1_000_000, tokens_per_minute: 1_000_000, budget_left_usd: null });
});

test("half a line counts once it is whole", async () => {
  const whole = Buffer.from(bytesOf([call(START)]));
  const lines = await follow("half", 2, (path, look) => {
    appendFileSync(path, look === 0 ? whole.subarray(0, 200) : whole.subarray(200));
  });
  expect(lines.map(({ calls }) => calls)).toEqual([0, 1]);
});

test("the forecast says when the budget is used up, and says so when it is", async () => {
  const grow = (path: string, _: number, nowMs: number): void => appendFileSync(path, bytesOf([call(nowMs)]));
  const lines = await follow("budget", 3, grow, { budget: 10_000_000 });
  expect(lines.map(({ budget_left_usd, minutes_to_budget }) => [budget_left_usd, minutes_to_budget])).toEqual(
    [
      [6, 2],
      [2, 1],
      [-2, 0],
    ],
  );
});

test("the pace forgets what is older than the last minutes", async () => {
  const lines = await follow("pace", 8, (path, look, nowMs) => {
    if (look === 0) appendFileSync(path, bytesOf([call(nowMs)]));
  });
  expect(lines.at(-1)).toMatchObject({ cost_usd: 4, usd_per_minute: 0 });
});
