import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ProcessLab, processLab } from "../../../src/testing/process-lab.ts";
import { type Lab, openLab } from "../../lab.ts";
import { eventsOf, until } from "./watch.ts";

vi.setConfig({ testTimeout: 120_000 });

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

/** Starts a `go` whose agent runs this script, and waits until the agent is at work. */
async function running(script: string, ...flags: readonly string[]): Promise<ReturnType<Lab["start"]>> {
  const more = ["--check", "test -e b.txt", "--json", "--max-iterations", "3", ...flags];
  const started = lab.start(["go", "write b", "--provider", lab.agent(script), ...more]);
  await until(lab, "attempt:spawned");
  return started;
}

const mark = (name: string): string => join(lab.outside, name);
/** Works until the test lets it end. */
const patient = (then = ""): string => `while [ ! -e ${mark("end")} ]; do sleep 0.1; done\n${then}`;
const letAgentEnd = (): void => writeFileSync(mark("end"), "");

async function jsonOf(...args: readonly string[]): Promise<Record<string, unknown>> {
  return (await lab.run([...args, "--json"])).json();
}

describe("while a session runs", () => {
  test("a second go in the checkout exits 4 and names the holder and --worktree", async () => {
    const first = await running(`sleep ${traps.token}`);
    const again = ["go", "other", "--check", "test -e c.txt", "--provider", lab.agent("touch c.txt")];
    const second = await lab.run([...again, "--json"]);
    expect(second.exit).toBe(4);
    expect(second.json()).toMatchObject({
      problem: {
        code: "checkout-busy",
        message: expect.stringContaining(`pid ${first.child.pid}`),
        hint: expect.stringContaining("--worktree"),
      },
    });
    const beside = await lab.run([...again, "--json", "--worktree"]);
    expect([beside.exit, beside.json()]).toMatchObject([0, { satisfied: true }]);
    await lab.run(["stop", "--force", "--session", "1"]);
    await first.finished;
  });

  test("status says so, events --follow ends with it, and an update reaches the next attempt", async () => {
    const seen = mark("prompts");
    const script = `cat >> ${seen}\nif [ -e ${mark("first")} ]; then touch b.txt; exit; fi\ntouch ${mark("first")}\n${patient()}`;
    const go = await running(script);
    const following = lab.start(["events", "--follow", "--json"]);
    expect(await jsonOf("status")).toMatchObject({ live: true, state: "running", attempts: 1 });
    const told = await jsonOf("update", "the file is called b.txt");
    expect(told).toMatchObject({ ok: true, live: true });
    await until(lab, "command:accepted");
    letAgentEnd();
    expect((await go.finished).exit).toBe(0);
    expect(readFileSync(seen, "utf8")).toContain("the file is called b.txt");
    const followed = (await following.finished).stdout.trim().split("\n");
    expect(followed).toHaveLength((await eventsOf(lab)).length);
    expect(await jsonOf("status")).toMatchObject({ live: false, satisfied: true });
  });

  test("loop pause lets the attempt end, and the session is gone on with", async () => {
    const go = await running(patient());
    await lab.run(["loop", "pause"]);
    await until(lab, "command:accepted");
    letAgentEnd();
    const paused = await go.finished;
    expect([paused.exit, paused.json()]).toMatchObject([10, { outcome: "paused", iteration: 1 }]);
    expect((await eventsOf(lab, "attempt:ended"))[0]?.data).toMatchObject({ end: { reason: "done" } });
    expect((await lab.run(["loop", "resume", "--max-iterations", "1", "--json"])).exit).toBe(10);
  });

  test("stop gives the agent ten seconds, then ends it", async () => {
    const go = await running(`trap 'touch ${mark("told")}; exit' TERM\nsleep ${traps.token} & wait`);
    expect((await lab.run(["stop"])).exit).toBe(0);
    const stopped = await go.finished;
    expect([stopped.exit, stopped.json()]).toMatchObject([10, { outcome: "paused" }]);
    expect(existsSync(mark("told"))).toBe(true);
    expect(traps.leftovers()).toEqual([]);
  });

  test("stop --force ends an agent that ignores everything", async () => {
    const go = await running(
      `trap '' TERM INT\necho ready\nsleep ${traps.token} & while :; do sleep 1; done`,
    );
    await lab.run(["stop", "--force"]);
    expect((await go.finished).exit).toBe(10);
    expect(traps.leftovers()).toEqual([]);
    expect(await jsonOf("status")).toMatchObject({ live: false, state: "closed" });
  });

  test("Ctrl-C exits 130 after the agent was told to end, and the session is gone on with", async () => {
    const go = await running(`trap 'touch ${mark("told")}; exit' TERM\nsleep ${traps.token} & wait`);
    go.child.kill("SIGINT");
    const stopped = await go.finished;
    expect([stopped.exit, stopped.json()]).toMatchObject([130, { outcome: "paused" }]);
    expect(existsSync(mark("told"))).toBe(true);
    expect(traps.leftovers()).toEqual([]);
    expect(stopped.json()["resume"]).toMatch(/^loopwright loop resume ses_/);
  });

  test("Ctrl-C twice ends at once an agent that ignores everything", async () => {
    const go = await running(
      `trap '' TERM INT\necho ready\nsleep ${traps.token} & while :; do sleep 1; done`,
    );
    go.child.kill("SIGINT");
    await until(lab, "command:accepted");
    go.child.kill("SIGINT");
    expect((await go.finished).exit).toBe(130);
    expect(traps.leftovers()).toEqual([]);
  });

  test("a session whose process was killed is closed by stop, its agent is gone, and a new go may begin", async () => {
    const go = await running(`sleep ${traps.token}`);
    go.child.kill("SIGKILL");
    await go.finished;
    const stopped = await lab.run(["stop", "--json"]);
    expect([stopped.exit, stopped.stderr]).toMatchObject([0, expect.any(String)]);
    expect(traps.leftovers()).toEqual([]);
    expect(await jsonOf("status")).toMatchObject({ live: false, state: "closed", outcome: "paused" });
    const next = ["go", "next", "--check", "test -e c.txt", "--provider", lab.agent("touch c.txt"), "--json"];
    expect((await lab.run(next)).exit).toBe(0);
  });
});
