import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProcessRunner } from "../../src/adapters/process/index.ts";
import { must } from "../../src/core/result.ts";
import type { Containment, ProcessOutcome, ProcessRequest, ProcessRunner } from "../../src/ports/process.ts";
import { type ProcessLab, processLab, systemClock } from "../../src/testing/process-lab.ts";

const runner = createProcessRunner({
  clock: systemClock,
  host: hostname(),
  toolPath: process.env["PATH"] ?? "",
});
const MEGABYTE = 1024 * 1024;
const isLinux = process.platform === "linux";

interface Kind {
  readonly name: string;
  readonly kind: Containment;
  readonly runner: ProcessRunner;
}

/** One namespace per tool that can make one here, and the group that works everywhere. */
function kindsHere(): readonly Kind[] {
  const tools = ["unshare", "bwrap"].map((tool) => {
    const folder = join(toolbox, tool);
    const found = runner.which(tool, process.env["PATH"] ?? "");
    mkdirSync(folder);
    if (found !== undefined) symlinkSync(found, join(folder, tool));
    const ownRunner = createProcessRunner({ clock: systemClock, host: hostname(), toolPath: folder });
    return { name: `namespace by ${tool}`, kind: "namespace" as const, runner: ownRunner };
  });
  const usable = tools.filter((tool) => tool.runner.strongest === "namespace");
  for (const { name } of tools.filter((tool) => !usable.includes(tool))) {
    process.stderr.write(`SKIPPED: no ${name} on this machine\n`);
  }
  return [...usable, { name: "group", kind: "group", runner }];
}

const toolbox = mkdtempSync(join(tmpdir(), "loopwright-tools-"));
afterAll(() => rmSync(toolbox, { recursive: true, force: true }));

let lab: ProcessLab;
beforeEach(() => {
  lab = processLab();
});
afterEach(() => lab.cleanUp());

describe.runIf(isLinux).each(kindsHere())("a process in a $name", ({ kind, runner }) => {
  const containment = kind === "group" ? "group" : "strongest";
  const request = (argv: readonly string[], more: Partial<ProcessRequest> = {}): ProcessRequest =>
    lab.request(argv, { containment, ...more });
  const run = async (argv: readonly string[], more: Partial<ProcessRequest> = {}): Promise<ProcessOutcome> =>
    must(await runner.start(request(argv, more))).outcome;
  const stdoutOf = (outcome: ProcessOutcome): string => readFileSync(outcome.stdoutPath, "utf8");

  test("a command that ends reports its exit code, its streams and its containment", async () => {
    const outcome = await run(["sh", "-c", "echo out; echo err >&2; exit 3"]);
    expect(outcome).toMatchObject({
      end: { kind: "exited", exitCode: 3 },
      containment: kind,
      killedForcefully: false,
      survivorsKilled: 0,
      escaped: 0,
      stdoutBytes: 4,
      stderrBytes: 4,
    });
    expect(stdoutOf(outcome)).toBe("out\n");
    expect(readFileSync(outcome.stderrPath, "utf8")).toBe("err\n");
  });

  test.each([126, 127, 255])("exit code %i is an exit code", async (exitCode) => {
    expect((await run(["sh", "-c", `exit ${exitCode}`])).end).toEqual({ kind: "exited", exitCode });
  });

  test.each(["SIGSEGV", "SIGKILL", "SIGTERM", "SIGINT"])(
    "death by %s is reported as that signal",
    async (signal) => {
      const outcome = await run(["sh", "-c", `kill -${signal.slice(3)} $$`]);
      expect(outcome.end).toEqual({ kind: "signalled", signal });
    },
  );

  test("the command sees its own process table, the same user and the folder that was asked for", async () => {
    const outcome = await run(["sh", "-c", 'id -u; pwd; cat "/proc/$$/comm"']);
    expect(stdoutOf(outcome)).toBe(`${process.getuid?.()}\n${lab.dir}\nsh\n`);
  });

  test("the environment is exactly the given one and the nonce, odd names included", async () => {
    const env = {
      PATH: "/usr/bin:/bin",
      "npm_config_//registry/:token": "a b'\"$c",
      PWD: "elsewhere",
      EMPTY: "",
    };
    const outcome = await run(["env", "-0"], { env, nonce: "n1" });
    const seen = stdoutOf(outcome)
      .split("\0")
      .filter((entry) => entry !== "" && !entry.startsWith("_="));
    const expected = Object.entries({ ...env, LOOPWRIGHT_NONCE: "n1" }).map(
      ([name, value]) => `${name}=${value}`,
    );
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });

  test("ten megabytes of stdin arrive, and absent stdin is closed", async () => {
    expect(stdoutOf(await run(["wc", "-c"], { stdin: "x".repeat(10 * MEGABYTE) })).trim()).toBe(
      `${10 * MEGABYTE}`,
    );
    expect(stdoutOf(await run(["wc", "-c"])).trim()).toBe("0");
  });

  test("output is shown live, in order, before the process ends", async () => {
    const seen: string[] = [];
    const running = must(
      await runner.start(
        request(["sh", "-c", "echo one; sleep 0.1; echo two; exec sleep 100"], {
          onOutput: (chunk, stream) => {
            seen.push(`${stream}:${Buffer.from(chunk).toString()}`);
            if (seen.length === 2) running.stop("cancel");
          },
        }),
      ),
    );
    const outcome = await running.outcome;
    expect(seen).toEqual(["stdout:one\n", "stdout:two\n"]);
    expect(outcome.end).toEqual({ kind: "canceled" });
  });

  test("a process that never prints is stalled", async () => {
    const outcome = await run([lab.agent("silent.sh"), lab.token], { idleMs: 100 });
    expect(outcome.end).toEqual({ kind: "stalled", idleMs: 100 });
    expect(lab.leftovers()).toEqual([]);
  });

  test("a process that others see alive is not stalled", async () => {
    const running = must(await runner.start(request(["sleep", "0.5"], { idleMs: 300 })));
    const touching = setInterval(() => running.touch(), 20);
    const outcome = await running.outcome;
    clearInterval(touching);
    expect(outcome.end).toEqual({ kind: "exited", exitCode: 0 });
  });

  test("a process that hangs is timed out, not failed", async () => {
    const outcome = await run(["sh", "-c", `while :; do echo x; sleep 0.05; done; : ${lab.token}`], {
      wallMs: 150,
    });
    expect(outcome.end).toEqual({ kind: "timed-out", wallMs: 150 });
    expect(outcome.killedForcefully).toBe(false);
    expect(lab.leftovers()).toEqual([]);
  });

  test("a process that ignores TERM is killed with its children after the grace", async () => {
    const outcome = await run([lab.agent("ignore-term.sh"), lab.token], { wallMs: 150, graceMs: 100 });
    expect(outcome).toMatchObject({
      end: { kind: "timed-out", wallMs: 150 },
      killedForcefully: true,
      escaped: 0,
    });
    expect(lab.leftovers()).toEqual([]);
  });

  test("a forced stop does not wait for the grace, and stopping twice is the same as once", async () => {
    const running = must(
      await runner.start(request([lab.agent("ignore-term.sh"), lab.token], { graceMs: 3_600_000 })),
    );
    running.stop("cancel");
    running.stop("cancel");
    running.stop("force");
    running.stop("stalled");
    expect(await running.outcome).toMatchObject({ end: { kind: "canceled" }, killedForcefully: true });
    expect(lab.leftovers()).toEqual([]);
  });

  test("a process may clean up and choose its exit code on TERM, and is canceled all the same", async () => {
    const running = must(
      await runner.start(
        request(["sh", "-c", "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done"], {
          onOutput: () => running.stop("cancel"),
        }),
      ),
    );
    const outcome = await running.outcome;
    expect(outcome).toMatchObject({ end: { kind: "canceled" }, killedForcefully: false });
    expect(stdoutOf(outcome)).toBe("ready\nbye\n");
  });

  test("a daemon that sheds group, session and environment is ended when it was seen", async () => {
    const outcome = await run([lab.agent("daemonise.sh"), lab.token, "0.5"]);
    expect(outcome).toMatchObject({ end: { kind: "exited", exitCode: 0 }, survivorsKilled: 1, escaped: 0 });
    expect(lab.leftovers()).toEqual([]);
  });

  test("a daemon that sheds everything at once may escape a group, but not a namespace", async () => {
    const outcome = await run([lab.agent("daemonise.sh"), lab.token]);
    expect(outcome.end).toEqual({ kind: "exited", exitCode: 0 });
    if (kind === "namespace") expect(lab.leftovers()).toEqual([]);
  });

  test("a child left behind with stdout open is ended and counted, and does not hold us up", async () => {
    const outcome = await run([lab.agent("leave-child.sh"), lab.token]);
    expect(outcome).toMatchObject({ end: { kind: "exited", exitCode: 0 }, survivorsKilled: 1 });
    expect(lab.leftovers()).toEqual([]);
  });

  test("a process that kills its parent neither hangs us nor lives on", async () => {
    const outcome = await run([lab.agent("kill-parent.sh"), lab.token]);
    const expected =
      kind === "namespace" ? { kind: "exited", exitCode: 7 } : { kind: "signalled", signal: "SIGKILL" };
    expect(outcome.end).toEqual(expected);
    expect(outcome.survivorsKilled).toBeGreaterThan(0);
    expect(lab.leftovers()).toEqual([]);
  });

  test("a flood is shown live without growing our memory, and cut to its cap on disk", async () => {
    const bytes = (process.env["LOOPWRIGHT_SLOW"] === "1" ? 1024 : 100) * MEGABYTE;
    const capBytes = 8 * MEGABYTE;
    let shownBytes = 0;
    let peakBytes = 0;
    const started = request([lab.agent("flood.sh"), String(bytes)], {
      streamCapBytes: capBytes,
      onOutput: (chunk) => {
        shownBytes += chunk.length;
        peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
      },
    });
    const beforeBytes = process.memoryUsage.rss();
    const outcome = await must(await runner.start(started)).outcome;
    expect(outcome.end).toEqual({ kind: "exited", exitCode: 0 });
    expect(statSync(outcome.stdoutPath).size).toBe(capBytes);
    // What is written in the instant of a cut is not counted.
    expect(outcome.stdoutBytes).toBeLessThanOrEqual(bytes);
    expect(outcome.stdoutBytes).toBeGreaterThan(bytes / 2);
    expect(shownBytes).toBeLessThanOrEqual(outcome.stdoutBytes);
    expect(peakBytes - beforeBytes).toBeLessThan(100 * MEGABYTE);
  });

  test("a stream file that the process empties itself is followed from its new start", async () => {
    let seen = "";
    const outcome = await run([lab.agent("empty-stderr.sh")], {
      onOutput: (chunk) => {
        seen += Buffer.from(chunk).toString();
      },
    });
    expect(seen).toBe("first and long\nsecond\n");
    expect(outcome.stderrBytes).toBe(seen.length);
  });

  test("what cannot be started is a problem, not an outcome", async () => {
    const plain = join(lab.dir, "plain");
    writeFileSync(plain, "x");
    chmodSync(plain, 0o644);
    const problemOf = async (
      argv: readonly string[],
      more: Partial<ProcessRequest> = {},
    ): Promise<string> => {
      const started = await runner.start(request(argv, more));
      return started.ok ? "started" : started.problem.code;
    };
    expect(await problemOf(["no-such-program"])).toBe("command-not-found");
    expect(await problemOf([])).toBe("command-not-found");
    expect(await problemOf([join(lab.dir, "missing")])).toBe("command-not-found");
    expect(await problemOf([plain])).toBe("spawn-failed");
    expect(await problemOf([lab.dir])).toBe("spawn-failed");
    expect(await problemOf(["true"], { cwd: join(lab.dir, "missing") })).toBe("spawn-failed");
    expect(await problemOf(["true", "x".repeat(3 * MEGABYTE)])).toBe("spawn-failed");
  });
});
