import { hostname } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { must } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import { type ProcessLab, processLab, systemClock } from "../../testing/process-lab.ts";
import { type Machine, probeMachine } from "./containment.ts";
import { launch } from "./launch.ts";
import { procTable } from "./proc-table.ts";
import { type ProcessTable, unseenProcess } from "./process-table.ts";
import { supervise } from "./supervise.ts";

const isLinux = process.platform === "linux";
const host = hostname();
let lab: ProcessLab;
beforeEach(() => {
  lab = processLab();
});
afterEach(() => lab.cleanUp());

test.runIf(isLinux)(
  "a descendant that cannot be killed is reported as escaped, and does not hold us up",
  async () => {
    const real = procTable();
    // Shows one more process that carries the nonce: no signal reaches it, as if it belonged to another user.
    const stranger = { ...unseenProcess(2 ** 30), startTicks: "99999999999" };
    const table: ProcessTable = {
      ...real,
      entry: (pid) => (pid === stranger.pid ? stranger : real.entry(pid)),
      all: () => [...real.all(), stranger],
      hasVariable: (pid, assignment) => pid === stranger.pid || real.hasVariable(pid, assignment),
    };
    const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() * 100 };
    const tools = { table, clock, host, machine: probeMachine("") };
    const request = lab.request(["true"]);
    const launched = must(await launch(tools, request));
    const outcome = await supervise(tools, launched, request).outcome;
    expect(outcome).toMatchObject({ end: { kind: "exited", exitCode: 0 }, survivorsKilled: 0, escaped: 1 });
  },
);

test.runIf(isLinux)(
  "a namespace that cannot be made this time gives way to a group, and the command runs once",
  async () => {
    const machine: Machine = { ...probeMachine(""), namespaceWords: () => ["/bin/sh", "-c", "exit 1"] };
    const tools = { table: procTable(), clock: systemClock, host, machine };
    const request = lab.request(["sh", "-c", "echo once"]);
    const launched = must(await launch(tools, request));
    const outcome = await supervise(tools, launched, request).outcome;
    expect(outcome).toMatchObject({
      end: { kind: "exited", exitCode: 0 },
      containment: "group",
      stdoutBytes: 5,
    });
  },
);

test.runIf(isLinux)("a consumer that throws does not leave its process unwatched", async () => {
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  const thrown = new Promise<unknown>((resolve) => process.once("uncaughtException", resolve));
  const tools = { table: procTable(), clock: systemClock, host, machine: probeMachine("") };
  const request = lab.request(["echo", "hello"], {
    onOutput: () => {
      throw new Error("broken consumer");
    },
  });
  const outcome = await supervise(tools, must(await launch(tools, request)), request).outcome;
  expect(await thrown).toEqual(new Error("broken consumer"));
  for (const listener of listeners) process.on("uncaughtException", listener);
  expect(outcome.end).toEqual({ kind: "exited", exitCode: 0 });
});
