import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createProcessRunner } from "../../src/adapters/process/index.ts";
import { must } from "../../src/core/result.ts";
import type { ProcessIdentity, ProcessRequest } from "../../src/ports/process.ts";
import { type ProcessLab, processLab, systemClock } from "../../src/testing/process-lab.ts";

const host = hostname();
const runner = createProcessRunner({ clock: systemClock, host, toolPath: process.env["PATH"] ?? "" });
const isLinux = process.platform === "linux";
const kinds =
  isLinux && runner.strongest === "namespace" ? (["namespace", "group"] as const) : (["group"] as const);

let programs: string;
let lab: ProcessLab;
let coordinator: ChildProcess | undefined;

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), "loopwright-coordinator-"));
  await build({
    configFile: false,
    logLevel: "error",
    build: {
      ssr: join(import.meta.dirname, "process-coordinator.ts"),
      outDir: programs,
      rollupOptions: { output: { entryFileNames: "coordinator.mjs" } },
    },
  });
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));
beforeEach(() => {
  lab = processLab();
});
afterEach(() => {
  coordinator?.kill("SIGKILL");
  lab.cleanUp();
});

/** Starts the request in a process of its own and kills that process as soon as it told the identity. */
async function startAndCrash(request: ProcessRequest): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, [join(programs, "coordinator.mjs"), host, JSON.stringify(request)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  coordinator = child;
  for await (const line of createInterface({ input: child.stdout })) {
    child.kill("SIGKILL");
    return JSON.parse(line);
  }
  throw new Error("the coordinator ended without a word");
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await systemClock.sleep(20);
}

describe.runIf(isLinux).each(kinds)("after a crash of ours, a process in a %s", (kind) => {
  const request = (argv: readonly string[]): ProcessRequest =>
    lab.request(argv, { containment: kind === "group" ? "group" : "strongest" });

  test("lives on, is found by its identity, and is reaped with all its children", async () => {
    const started = request([lab.agent("ignore-term.sh"), lab.token]);
    const identity = await startAndCrash(started);
    await until(() => lab.leftovers().length >= 2);
    expect(runner.isAlive(identity)).toBe(true);
    const found = await runner.findOrphan({ dir: started.dir, nonce: started.nonce, identity });
    expect(found).toMatchObject({ kind: "alive", identities: expect.arrayContaining([identity]) });
    const killed = await runner.reap({ nonce: started.nonce, identity, graceMs: 100 });
    expect(killed).toBeGreaterThanOrEqual(3);
    expect(lab.leftovers()).toEqual([]);
    expect(runner.isAlive(identity)).toBe(false);
    expect(await runner.findOrphan({ dir: started.dir, nonce: started.nonce, identity })).toEqual({
      kind: "gone",
    });
    expect(await runner.reap({ nonce: started.nonce, identity, graceMs: 100 })).toBe(0);
  });

  test("is found and reaped by its nonce when its identity was never recorded", async () => {
    const started = request([lab.agent("silent.sh"), lab.token]);
    const identity = await startAndCrash(started);
    const found = await runner.findOrphan({ dir: started.dir, nonce: started.nonce });
    expect(found).toMatchObject({ kind: "alive", identities: expect.arrayContaining([identity]) });
    expect(await runner.reap({ nonce: started.nonce, graceMs: 5000 })).toBeGreaterThan(0);
    expect(lab.leftovers()).toEqual([]);
  });

  test("may end in its own way when it is reaped", async () => {
    const script = "trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.02; done";
    const started = request(["sh", "-c", script]);
    await startAndCrash(started);
    await until(() => readFileSync(join(started.dir, "stdout"), "utf8") === "ready\n");
    await runner.reap({ nonce: started.nonce, graceMs: 10_000 });
    expect(readFileSync(join(started.dir, "stdout"), "utf8")).toBe("ready\nbye\n");
    const found = await runner.findOrphan({ dir: started.dir, nonce: started.nonce });
    expect(found).toEqual({ kind: "finished", exitCode: 4 });
  });

  test("finishes by itself and can be drained", async () => {
    const started = request(["sh", "-c", "echo before; sleep 0.3; echo after; exit 9"]);
    const identity = await startAndCrash(started);
    await until(() => !runner.isAlive(identity));
    const found = await runner.findOrphan({ dir: started.dir, nonce: started.nonce, identity });
    expect(found).toEqual({ kind: "finished", exitCode: 9 });
    expect(readFileSync(join(started.dir, "stdout"), "utf8")).toBe("before\nafter\n");
  });

  test("is never taken for another that got its pid", async () => {
    const started = request([lab.agent("silent.sh"), lab.token]);
    const identity = await startAndCrash(started);
    await until(() => lab.leftovers().length > 0);
    const others: readonly ProcessIdentity[] = [
      { ...identity, startTicks: "1" },
      { ...identity, bootId: "another boot" },
      { ...identity, host: "another-host" },
      { ...identity, pidNamespace: "pid:[1]" },
    ];
    for (const other of others) {
      expect(runner.isAlive(other)).toBe(false);
      expect(await runner.reap({ nonce: "another-nonce", identity: other, graceMs: 0 })).toBe(0);
    }
    expect(runner.isAlive(identity)).toBe(true);
    expect(await runner.reap({ nonce: started.nonce, identity, graceMs: 0 })).toBeGreaterThan(0);
  });
});

describe.runIf(isLinux)("a reaper", () => {
  test("never kills itself or what it descends from", async () => {
    expect(runner.isAlive(runner.self())).toBe(true);
    expect(await runner.reap({ nonce: "none", identity: runner.self(), graceMs: 0 })).toBe(0);
  });

  test("may carry the nonce that it reaps", async () => {
    const argv = [process.execPath, join(programs, "coordinator.mjs"), host];
    const outcome = await must(await runner.start(lab.request(argv, { containment: "group" }))).outcome;
    expect(outcome.end).toEqual({ kind: "exited", exitCode: 0 });
    expect(readFileSync(outcome.stdoutPath, "utf8")).toBe("0\n");
  });
});
