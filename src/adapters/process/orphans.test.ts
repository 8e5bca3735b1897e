import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { systemClock } from "../../testing/process-lab.ts";
import { launcherAmong, reap } from "./orphans.ts";
import { procTable } from "./proc-table.ts";
import type { ProcessEntry } from "./process-table.ts";
import { NONCE_VARIABLE } from "./shim.ts";

function entry(pid: number, parentPid: number, startTicks: string): ProcessEntry {
  return { pid, parentPid, groupId: 32_767, sessionId: 32_767, startTicks };
}

test("a command that began in its launcher's tick with a lower pid is not taken for the launcher", () => {
  const [shim, command, child] = [entry(32_767, 1, "500"), entry(301, 32_767, "500"), entry(302, 301, "501")];
  expect(launcherAmong([child, command, shim])).toBe(shim);
});

test("of members without a parent among them the oldest is the launcher", () => {
  const [shim, leftBehind] = [entry(40, 1, "500"), entry(30, 1, "510")];
  expect(launcherAmong([leftBehind, shim])).toBe(shim);
  expect(launcherAmong([])).toBeUndefined();
});

test.runIf(process.platform === "linux")(
  "a command that was taken for its launcher at first sight is still asked to end",
  async () => {
    const nonce = `reaped-${process.pid}`;
    const command = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
    const launcher = spawn("sh", ["-c", `sh -c "${command}"; exit $?`], {
      env: { PATH: process.env["PATH"], [NONCE_VARIABLE]: nonce },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    launcher.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    await once(launcher.stdout, "data");
    const real = procTable();
    let isFirstLook = true;
    const all = () => {
      const seen = isFirstLook ? real.all().filter(({ pid }) => pid !== launcher.pid) : real.all();
      isFirstLook = false;
      return seen;
    };
    const table = { ...real, all };
    await reap({ table, clock: systemClock, host: "here" }, { nonce, graceMs: 10_000 });
    expect(said).toBe("ready\nbye\n");
  },
);
