import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProcessRunner } from "../../src/adapters/process/index.ts";
import { must } from "../../src/core/result.ts";
import type { Sandbox } from "../../src/ports/process.ts";
import { type ProcessLab, processLab, systemClock } from "../../src/testing/process-lab.ts";

const runner = createProcessRunner({
  clock: systemClock,
  host: hostname(),
  toolPath: process.env["PATH"] ?? "",
});
if (!runner.canSandbox) process.stderr.write("SKIPPED: bubblewrap does not work on this machine\n");

let lab: ProcessLab;
beforeEach(() => {
  lab = processLab();
});
afterEach(() => lab.cleanUp());

async function shell(script: string, sandbox: Partial<Sandbox>): Promise<string> {
  const request = lab.request(["sh", "-c", `${script}\nexit 0`], {
    sandbox: { writable: [], hidden: [], network: true, ...sandbox },
  });
  const outcome = await must(await runner.start(request)).outcome;
  expect(outcome).toMatchObject({ end: { kind: "exited", exitCode: 0 }, containment: "namespace" });
  return readFileSync(outcome.stdoutPath, "utf8");
}

function folder(name: string, text: string): string {
  const path = join(lab.dir, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "file"), text);
  return path;
}

describe.runIf(runner.canSandbox)("a sandboxed process", () => {
  test("writes only where it may and reads the rest", async () => {
    const open = folder("open", "old");
    const shut = folder("shut", "kept");
    await shell(`echo new > ${open}/file; echo new > ${shut}/file; echo new > /etc/loopwright-probe`, {
      writable: [open],
    });
    expect(readFileSync(join(open, "file"), "utf8")).toBe("new\n");
    expect(readFileSync(join(shut, "file"), "utf8")).toBe("kept");
    expect(await shell(`cat ${shut}/file`, {})).toBe("kept");
  });

  test("does not see hidden folders and files, and the deepest path wins", async () => {
    const store = folder("store", "secret");
    const work = folder("store/work", "mine");
    const inner = folder("store/work/inner", "secret too");
    const loose = join(folder("loose", "x"), "file");
    const seen = await shell(`ls ${store}; ls ${work}; ls ${inner}; cat ${loose}; echo more > ${work}/file`, {
      writable: [work],
      hidden: [store, inner, loose, join(lab.dir, "not-there")],
    });
    expect(seen).toBe("work\nfile\ninner\n");
    expect(readFileSync(join(work, "file"), "utf8")).toBe("more\n");
  });

  test("sees a folder at another place when it is bound there", async () => {
    const from = folder("from", "elsewhere");
    const to = folder("to", "here");
    expect(await shell(`cat ${to}/file`, { binds: [{ from, to, writable: false }] })).toBe("elsewhere");
  });

  test("has no network when it is denied", async () => {
    expect(await shell("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '", { network: false })).toBe(
      "lo\n",
    );
  });

  test("cannot undo its room, not even as root", async () => {
    const shut = folder("shut", "kept");
    await shell(`mount -o remount,rw / ; mount --bind ${lab.dir} ${lab.dir}; echo new > ${shut}/file`, {});
    expect(readFileSync(join(shut, "file"), "utf8")).toBe("kept");
  });

  test("ends with all its daemons", async () => {
    await shell(`${lab.agent("daemonise.sh")} ${lab.token}`, {});
    expect(lab.leftovers()).toEqual([]);
  });

  test("is not started when something that it needs is missing", async () => {
    const sandbox = { writable: [join(lab.dir, "missing")], hidden: [], network: true };
    const started = await runner.start(lab.request(["true"], { sandbox }));
    expect(started).toMatchObject({ ok: false, problem: { code: "spawn-failed", hint: expect.any(String) } });
  });
});

describe("a machine without bubblewrap and unshare", () => {
  const poor = createProcessRunner({ clock: systemClock, host: hostname(), toolPath: "/nonexistent" });

  test("says that it contains by group and cannot sandbox", () => {
    expect(poor.strongest).toBe("group");
    expect(poor.canSandbox).toBe(false);
  });

  test("runs what is asked for at the strongest in a group, and says so", async () => {
    const outcome = await must(await poor.start(lab.request(["true"]))).outcome;
    expect(outcome).toMatchObject({ end: { kind: "exited", exitCode: 0 }, containment: "group" });
  });

  test("refuses a sandbox with a hint, rather than running without it", async () => {
    const sandbox = { writable: [], hidden: [], network: true };
    const started = await poor.start(lab.request(["true"], { sandbox }));
    expect(started).toMatchObject({ ok: false, problem: { code: "spawn-failed", hint: expect.any(String) } });
  });
});
