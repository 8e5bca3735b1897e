import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ProcessLab, processLab } from "../../../src/testing/process-lab.ts";
import { type Lab, openLab } from "../../lab.ts";
import { eventsOf, type Watched, watched } from "./watch.ts";

const MEGABYTE = 1024 * 1024;
const FLOOD_BYTES = (process.env["LOOPWRIGHT_SLOW"] === "1" ? 1024 : 200) * MEGABYTE;
const MEMORY_BYTES = 200 * MEGABYTE;

let lab: Lab;
let traps: ProcessLab;
beforeEach(() => {
  lab = openLab({ "a.txt": "a\n" });
  traps = processLab();
});
afterEach(() => {
  traps.cleanUp();
  lab.dispose();
});

/** One attempt by this agent, which reaches nothing. */
async function oneAttempt(provider: string, ...flags: readonly string[]): Promise<Watched> {
  const more = ["--check", "test -e never", "--max-iterations", "1", "--json", ...flags];
  const done = await watched(lab, ["go", "never", "--provider", provider, ...more]);
  if (done.exit !== 10) expect.fail(`exit ${done.exit}\n${done.stdout}\n${done.stderr}`);
  return done;
}

const program = (name: string, ...args: readonly (string | number)[]): string =>
  `command:/bin/sh '${traps.agent(name)}' ${args.join(" ")}`;

async function endOfAttempt(): Promise<Readonly<Record<string, unknown>>> {
  return (await eventsOf(lab, "attempt:ended"))[0]?.data ?? {};
}

describe.runIf(process.platform === "linux")("an agent that", () => {
  test("leaves a hundred children behind is done, and they are gone", async () => {
    await oneAttempt(lab.agent(`for i in $(seq 100); do sleep ${traps.token} & done\necho ready`));
    expect(await endOfAttempt()).toMatchObject({ end: { reason: "done" } });
    expect(traps.leftovers()).toEqual([]);
  });

  test("daemonises is done, and the daemon is gone", async () => {
    await oneAttempt(program("daemonise.sh", traps.token));
    expect(await endOfAttempt()).toMatchObject({ end: { reason: "done" } });
    expect(traps.leftovers()).toEqual([]);
  });

  test("ignores SIGTERM and falls silent is stalled, and gone", async () => {
    await oneAttempt(program("ignore-term.sh", traps.token), "--max-idle", "1s");
    expect(await endOfAttempt()).toMatchObject({ end: { reason: "stalled" } });
    expect(traps.leftovers()).toEqual([]);
  });

  test("never prints is stalled, and gone", async () => {
    await oneAttempt(program("silent.sh", traps.token), "--max-idle", "1s");
    expect(await endOfAttempt()).toMatchObject({ end: { reason: "stalled" } });
    expect(traps.leftovers()).toEqual([]);
  });

  test("prints for ever is timed out, and gone", async () => {
    const agent = lab.agent(`sleep ${traps.token} &\nwhile :; do echo on; sleep 0.1; done`);
    await oneAttempt(agent, "--max-attempt-time", "2s");
    expect(await endOfAttempt()).toMatchObject({ end: { reason: "timed-out" } });
    expect(traps.leftovers()).toEqual([]);
  });

  test("kills its parent is failed with its own exit code or the signal, and gone", async () => {
    await oneAttempt(program("kill-parent.sh", traps.token));
    const { end } = await endOfAttempt();
    expect(end).toMatchObject({ reason: "failed" });
    expect(traps.leftovers()).toEqual([]);
  });

  test("floods stdout is done; we hold little of it in memory and 64 MB on disk", async () => {
    const done = await oneAttempt(program("flood.sh", FLOOD_BYTES));
    expect(done.peakBytes).toBeLessThan(MEMORY_BYTES);
    expect(await endOfAttempt()).toMatchObject({ end: { reason: "done" } });
    const { dir } = (await eventsOf(lab, "attempt:starting"))[0]?.data ?? {};
    expect(statSync(join(String(dir), "stdout")).size).toBeLessThanOrEqual(64 * MEGABYTE);
  });

  test("floods with one endless line where lines of JSON are expected is failed, and our memory stays small", async () => {
    const flood = `head -c ${FLOOD_BYTES} /dev/zero | tr '\\0' x`;
    const agent = lab.agent(flood);
    const done = await oneAttempt(`${agent} --output-format stream-json`);
    expect(done.peakBytes).toBeLessThan(MEMORY_BYTES);
    expect(await endOfAttempt()).toMatchObject({ end: { reason: "failed", kind: "agent-error" } });
  });

  test("makes a check flood is judged all the same, and our memory stays small", async () => {
    const check = `yes failing | head -c ${FLOOD_BYTES}; exit 1`;
    const done = await watched(lab, [
      ...["go", "never", "--check", check, "--provider", lab.agent("echo > b.txt")],
      ...["--max-iterations", "1", "--json"],
    ]);
    expect(done.exit).toBe(10);
    expect(done.peakBytes).toBeLessThan(MEMORY_BYTES);
  });

  test("fills the folder with a thousand files and deep folders is judged on them", async () => {
    const deep = "mkdir -p $(printf 'd/%.0s' $(seq 300)) && for i in $(seq 1000); do echo $i > f$i; done";
    await oneAttempt(lab.agent(deep));
    const { changes } = await endOfAttempt();
    expect(changes).toHaveLength(1000);
  });
});
