import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { which } from "../src/adapters/process/lookup.ts";

/** A real engine with settings, images and containers of its own, and one image that holds busybox and git. */
export interface ContainerEngine {
  /** What makes our program take it, and its client find all that. */
  readonly env: Readonly<Record<string, string>>;
  readonly image: string;
  run(...words: readonly string[]): string;
  /** Of the containers that there are, running or not. */
  containers(): readonly string[];
  close(): Promise<void>;
}

export const ENGINES = ["podman", "docker"] as const;
type Program = (typeof ENGINES)[number];

const IMAGE = "box:1";
const PATH = process.env["PATH"] ?? "";

/** Undefined, with a line that says so, where it cannot run a container. */
export async function openContainerEngine(
  program: Program,
  tests: string,
): Promise<ContainerEngine | undefined> {
  const needed = [program, ...(program === "docker" ? ["dockerd"] : []), "busybox", "git"];
  const missing = needed.filter((name) => which(name, PATH) === undefined);
  if (missing.length > 0) {
    process.stderr.write(`SKIPPED for lack of ${missing.join(" and ")}: ${tests}\n`);
    return undefined;
  }
  const dir = realpathSync(mkdtempSync(join(tmpdir(), `loopwright-${program}-`)));
  const service = program === "podman" ? podman(dir) : docker(dir);
  const run = (...words: readonly string[]): string =>
    execFileSync(program, words, {
      env: { PATH, HOME: dir, ...service.env },
      encoding: "utf8",
      stdio: "pipe",
    });
  const close = async (): Promise<void> => {
    await service.end(run);
    // What an engine clears up after a container may still be writing.
    rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    await service.isReady(run);
    run("import", archive(dir), IMAGE);
    run("run", "--rm", "--network", "none", IMAGE, "sh", "-c", "git --version");
  } catch (error) {
    process.stderr.write(`SKIPPED because ${program} runs no container here: ${tests}\n${String(error)}\n`);
    await close();
    return undefined;
  }
  return {
    env: { LOOPSMITH_DOCKER: program, ...service.env },
    image: IMAGE,
    run,
    containers: () => run("ps", "--all", "--format", "{{.Names}}").split("\n").filter(Boolean),
    close,
  };
}

type Run = ContainerEngine["run"];

interface Service {
  readonly env: Readonly<Record<string, string>>;
  isReady(run: Run): Promise<void>;
  end(run: Run): Promise<void>;
}

/** A container shares our network where it has one: bridges need more of a machine than these tests do. */
function podman(dir: string): Service {
  const file = (name: string, lines: readonly string[]): string => {
    writeFileSync(join(dir, name), `${lines.join("\n")}\n`);
    return join(dir, name);
  };
  return {
    env: {
      CONTAINERS_CONF: file("containers.conf", [
        "[containers]",
        'default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]',
        'netns = "host"',
        "[engine]",
        'cgroup_manager = "cgroupfs"',
        'events_logger = "file"',
        `tmp_dir = "${dir}/engine"`,
        ...(which("runc", PATH) === undefined ? [] : ['runtime = "runc"']),
      ]),
      CONTAINERS_STORAGE_CONF: file("storage.conf", [
        "[storage]",
        'driver = "vfs"',
        `graphroot = "${dir}/storage"`,
        `rootless_storage_path = "${dir}/storage"`,
        `runroot = "${dir}/run"`,
      ]),
    },
    isReady: async () => undefined,
    end: async (run) => {
      run("rm", "--all", "--force");
      // Without root its files belong to ids that are ours by its own mapping alone.
      if (process.getuid?.() !== 0) run("unshare", "rm", "-rf", `${dir}/storage`);
    },
  };
}

const TRIES = 100;

/** A daemon of our own, without a bridge: that would be the machine's, where another daemon may use it. */
function docker(dir: string): Service {
  const at = (name: string): string => join(dir, name);
  const host = `unix://${at("socket")}`;
  const places = ["--data-root", at("data"), "--exec-root", at("exec"), "--pidfile", at("pid")];
  const apart = ["--storage-driver", "vfs", "--bridge", "none", "--iptables=false", "--ip6tables=false"];
  const daemon = spawn("dockerd", ["--host", host, ...places, ...apart], { stdio: "ignore" });
  const ended = new Promise<void>((done) => {
    daemon.once("exit", () => done());
    daemon.once("error", () => done());
  });
  return {
    env: { DOCKER_HOST: host },
    isReady: async (run) => {
      for (let tries = 1; ; tries += 1) {
        try {
          run("version");
          return;
        } catch (error) {
          if (tries === TRIES || daemon.exitCode !== null) throw error;
          await delay(100);
        }
      }
    },
    end: async () => {
      daemon.kill("SIGTERM");
      await ended;
    },
  };
}

function archive(dir: string): string {
  const root = join(dir, "root");
  const put = (path: string, as = path): void => {
    mkdirSync(dirname(join(root, as)), { recursive: true });
    copyFileSync(realpathSync(path), join(root, as));
  };
  for (const name of ["busybox", "git"]) {
    const path = which(name, PATH) ?? name;
    put(path, `/bin/${name}`);
    const { stdout } = spawnSync("ldd", [path], { encoding: "utf8" });
    for (const [library] of stdout.matchAll(/\/\S+/g)) put(library);
  }
  const applets = execFileSync("busybox", ["--list"], { encoding: "utf8" }).split("\n").filter(Boolean);
  for (const name of applets) if (name !== "busybox") symlinkSync("busybox", join(root, "bin", name));
  const tar = join(dir, "root.tar");
  execFileSync("tar", ["-C", root, "-cf", tar, "."]);
  return tar;
}
