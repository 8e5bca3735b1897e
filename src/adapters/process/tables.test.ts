import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { systemClock } from "../../testing/process-lab.ts";
import { parseStat, procTable } from "./proc-table.ts";
import { verified } from "./process-table.ts";
import { parsePs, psTable } from "./ps-table.ts";

const hasPs = spawnSync("ps", ["-p", "1"]).status === 0;

test("a process name with spaces and parentheses does not shift the fields of its stat line", () => {
  const fields = "S 10 20 30 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 4711 1000 200";
  const entry = { pid: 42, parentPid: 10, groupId: 20, sessionId: 30, startTicks: "4711" };
  expect(parseStat(`42 (a b) Z 1 (c)) ${fields}`)).toEqual({ state: "S", entry });
});

test("text that is no stat line is no process", () => {
  expect(parseStat("")).toBeUndefined();
  expect(parseStat("42 (sh) S 1 2 3")).toBeUndefined();
});

test("zombies in a ps listing are gone", () => {
  const listing = [
    "    1     0     1 Ss   Mon Nov 30 10:00:00 2026",
    "   42     1    40 Z+   Mon Nov 30 10:00:01 2026",
    "",
  ].join("\n");
  expect(parsePs(listing)).toEqual([
    { pid: 1, parentPid: 0, groupId: 1, sessionId: 1, startTicks: "Mon Nov 30 10:00:00 2026" },
  ]);
});

test.runIf(process.platform === "linux")(
  "/proc shows us, our parent, our environment and our streams",
  () => {
    const table = procTable();
    const entry = table.entry(process.pid);
    expect(entry).toMatchObject({ pid: process.pid, parentPid: process.ppid });
    expect(table.childrenOf(process.ppid)).toContain(process.pid);
    expect(table.all().map(({ pid }) => pid)).toContain(process.pid);
    expect(table.hasVariable(process.pid, "LOOPWRIGHT_NONCE=not-ours")).toBe(false);
    expect(table.entry(2 ** 30)).toBeUndefined();
    expect(table.childrenOf(2 ** 30)).toEqual([]);
  },
);

test.runIf(hasPs)("ps shows a process with the start by which it is verified", () => {
  const table = psTable(systemClock);
  const { startTicks } = table.ownChild(process.pid);
  const identity = { pid: process.pid, startTicks, bootId: "", pidNamespace: "", host: "here" };
  expect(table.childrenOf(process.ppid)).toContain(process.pid);
  expect(verified(table, identity, "here")?.parentPid).toBe(process.ppid);
  expect(verified(table, identity, "elsewhere")).toBeUndefined();
  expect(verified(table, { ...identity, startTicks: "Mon Nov 30 10:00:00 1970" }, "here")).toBeUndefined();
});
