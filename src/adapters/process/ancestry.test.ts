import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { withinAttempt } from "./ancestry.ts";

const linux = process.platform === "linux";
if (!linux) process.stderr.write("\nSKIPPED for lack of /proc: marks of the processes above us\n");

test("a mark in our own environment tells that we are inside an attempt, and of which session", () => {
  const env = { LOOPWRIGHT_ATTEMPT: "att_1", LOOPWRIGHT_SESSION: "ses_1" };
  expect(withinAttempt(env)).toMatchObject({ isInside: true, sessions: ["ses_1"] });
});

test.skipIf(!linux)(
  "a mark that was taken out of our environment is found in that of a process above",
  async () => {
    const shell = spawn("/bin/sh", ["-c", "env -i sleep 60 & echo $!; wait"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env["PATH"], LOOPWRIGHT_NONCE: "x", LOOPWRIGHT_SESSION: "ses_1" },
    });
    try {
      const [line] = await once(shell.stdout, "data");
      const pid = Number(String(line));
      expect(withinAttempt({}, pid)).toEqual({ isInside: true, sessions: ["ses_1"] });
      process.kill(pid, "SIGKILL");
    } finally {
      shell.kill("SIGKILL");
    }
  },
);
