import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createContainers } from "../../src/adapters/containers/index.ts";
import { createProcessRunner } from "../../src/adapters/process/index.ts";
import { which } from "../../src/adapters/process/lookup.ts";
import { must } from "../../src/core/result.ts";
import type { Containers } from "../../src/ports/containers.ts";
import type { RunningProcess } from "../../src/ports/process.ts";
import { type ProcessLab, processLab, systemClock } from "../../src/testing/process-lab.ts";
import { type ContainerEngine, ENGINES, openContainerEngine } from "../container-engine.ts";

const path = process.env["PATH"] ?? "";
let engine: ContainerEngine | undefined;

const runner = createProcessRunner({ clock: systemClock, host: hostname(), toolPath: path });
const NAME = "loopwright-of-a-test";

let lab: ProcessLab;
let root: string;
let containers: Containers;
beforeEach(() => {
  lab = processLab();
  root = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-mounted-")));
  for (const name of ["work", "shown", "beside"]) folder(name);
  containers = createContainers({
    path,
    which,
    environment: { HOME: root, ...engine?.env },
  });
});
afterEach(async () => {
  await containers.remove(NAME);
  lab.cleanUp();
  rmSync(root, { recursive: true, force: true });
});

function folder(name: string): void {
  mkdirSync(join(root, name));
  writeFileSync(join(root, name, "file"), `${name}\n`);
}

interface Wish {
  readonly network?: boolean;
  readonly stdin?: string;
  readonly wallMs?: number;
}

/** Starts a shell line as an attempt does, with `work` to write and `shown` to read. */
async function start(script: string, { network = false, ...more }: Wish = {}): Promise<RunningProcess> {
  const { words, image } = must(
    await containers.words({
      image: engine?.image ?? "",
      name: NAME,
      cwd: join(root, "work"),
      writable: [join(root, "work")],
      readable: [join(root, "shown")],
      network,
    }),
  );
  return must(
    await runner.start(
      lab.request([...words, image, "sh", "-c", script], {
        env: { PATH: path, HOME: root, ...engine?.env, SECRET: "of ours" },
        containment: "group",
        graceMs: 200,
        ...more,
      }),
    ),
  );
}

async function said(script: string, wish?: Wish): Promise<string> {
  const outcome = await (await start(`{ ${script}; } 2>&1; exit 0`, wish)).outcome;
  expect(outcome.end, readFileSync(outcome.stderrPath, "utf8")).toEqual({ kind: "exited", exitCode: 0 });
  return readFileSync(outcome.stdoutPath, "utf8");
}

async function untilRunning(): Promise<void> {
  const started = join(root, "work", "started");
  while (statSync(started, { throwIfNoEntry: false }) === undefined) await systemClock.sleep(20);
}

describe.each(ENGINES)("with %s itself", (program) => {
  beforeAll(async () => {
    engine = await openContainerEngine(program, "what a container holds back");
  });
  afterAll(async () => {
    await engine?.close();
    engine = undefined;
  });
  beforeEach(({ skip }) => skip(engine === undefined));

  test("it is named with its version, and knows which images are here", async () => {
    expect(must(await containers.runtime())).toMatch(new RegExp(`^${program} \\d+\\.\\d+`));
    expect(await containers.hasImage(engine?.image ?? "")).toMatchObject({ ok: true });
    expect(await containers.hasImage("elsewhere:1")).toMatchObject({
      ok: false,
      problem: {
        code: "container-unavailable",
        message: expect.stringMatching(new RegExp(`${program} pull elsewhere:1$`)),
      },
    });
  });

  test("what is written in a folder that it was given is ours", async () => {
    expect(await said("pwd; cat > made; cat made", { stdin: "by hand\n" })).toBe(`${root}/work\nby hand\n`);
    const made = statSync(join(root, "work", "made"));
    expect([made.uid, made.gid]).toEqual([process.getuid?.(), process.getgid?.()]);
  });

  test("nothing can be written but that folder and a /tmp that goes with the container", async () => {
    const tries = ["/", "/bin", "/etc", "/run", "/var/tmp", "/tmp", `${root}/shown`, `${root}/work`];
    const script = tries.map((at) => `mkdir -p ${at}; echo x > ${at}/tried && echo ${at}`).join("; ");
    const answer = await said(`{ ${script}; } 2>/dev/null; cat ${root}/shown/file; ls ${root}`);
    expect(answer).toBe(`/tmp\n${root}/work\nshown\nshown\nwork\n`);
    expect(readFileSync(join(root, "shown", "file"), "utf8")).toBe("shown\n");
  });

  test("it has no capabilities, gains none, and sees no variable of ours", async () => {
    const answer = await said(
      "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; echo $SECRET$CONTAINERS_CONF",
    );
    expect(answer).toBe("CapEff:\t0000000000000000\nNoNewPrivs:\t1\n\n");
  });

  test("it has no network but its own unless one is asked for", async () => {
    expect(await said("cut -d: -f1 /proc/net/dev | tail -n +3")).toMatch(/^ *lo\n$/);
  });

  // The daemon of these tests has no bridge, and so no network to give.
  test.runIf(program === "podman")("it has the one of its engine where it is asked for", async () => {
    const server = createServer((socket) => socket.end("here\n"));
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    try {
      expect(await said(`nc -w 5 127.0.0.1 ${port} < /dev/null`, { network: true })).toBe("here\n");
    } finally {
      server.close();
    }
  });

  test("how its command ended is how the client ends", async () => {
    expect(await (await start("exit 7")).outcome).toMatchObject({ end: { kind: "exited", exitCode: 7 } });
    expect(engine?.containers()).toEqual([]);
  });

  test("an agent that does not listen is gone once it is removed", async () => {
    const stubborn = `trap "" TERM; touch started; (setsid sleep ${lab.token} &); sleep ${lab.token}; sleep 60`;
    const running = await start(stubborn);
    await untilRunning();
    running.stop("cancel");
    expect(await running.outcome).toMatchObject({ end: { kind: "canceled" } });
    await containers.remove(NAME);
    expect(engine?.containers()).toEqual([]);
    expect(lab.leftovers()).toEqual([]);
  });

  test("it is removed when all that knew of it was killed, and removing it again does nothing", async () => {
    const running = await start(`touch started; sleep ${lab.token}; sleep 60`);
    await untilRunning();
    const format = program === "podman" ? "{{.State.ConmonPid}} {{.State.Pid}}" : "{{.State.Pid}}";
    const pids = engine?.run("inspect", "--format", format, NAME) ?? "";
    for (const pid of pids.trim().split(" ")) process.kill(Number(pid), "SIGKILL");
    running.stop("force");
    await running.outcome;
    await containers.remove(NAME);
    expect(engine?.containers()).toEqual([]);
    expect(lab.leftovers()).toEqual([]);
    await containers.remove(NAME);
  });
});

/** Answers as a program of its kind does when it is asked what it is. */
function standIn(info: string): Containers {
  const program = join(root, "stand-in");
  writeFileSync(program, `#!/bin/sh\ncase "$1 $3" in version*) echo 1.0 ;; ${info} esac\n`, { mode: 0o755 });
  return createContainers({ path, which, environment: { LOOPSMITH_DOCKER: program } });
}

async function userWords(info: string): Promise<string> {
  const work = { cwd: root, writable: [root], readable: [], network: false };
  const { words } = must(await standIn(info).words({ image: "x", name: NAME, ...work }));
  return words.join(" ");
}

test("without root an engine is told how what is written becomes ours", async () => {
  const ours = `--user ${process.getuid?.()}:${process.getgid?.()}`;
  const podman = (isRootless: boolean): string => `*Rootless*) echo ${isRootless} ;;`;
  expect(await userWords(podman(true))).toContain(`--userns keep-id ${ours}`);
  expect(await userWords(podman(false))).toContain(ours);
  expect(await userWords(podman(false))).not.toContain("--userns");
  expect(await userWords('*SecurityOptions*) echo "[name=seccomp name=rootless]" ;;')).toContain(
    "--user 0:0",
  );
  expect(await userWords('*SecurityOptions*) echo "[name=seccomp]" ;;')).toContain(ours);
});
