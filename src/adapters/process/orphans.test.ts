import { expect, test } from "vitest";
import { launcherAmong } from "./orphans.ts";
import type { ProcessEntry } from "./process-table.ts";

function process(pid: number, parentPid: number, startTicks: string): ProcessEntry {
  return { pid, parentPid, groupId: 32_767, sessionId: 32_767, startTicks };
}

test("a command that began in its launcher's tick with a lower pid is not taken for the launcher", () => {
  const [shim, command, child] = [
    process(32_767, 1, "500"),
    process(301, 32_767, "500"),
    process(302, 301, "501"),
  ];
  expect(launcherAmong([child, command, shim])).toBe(shim);
});

test("of members without a parent among them the oldest is the launcher", () => {
  const [shim, leftBehind] = [process(40, 1, "500"), process(30, 1, "510")];
  expect(launcherAmong([leftBehind, shim])).toBe(shim);
  expect(launcherAmong([])).toBeUndefined();
});
