import { execFileSync, spawnSync } from "node:child_process";
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
import { which } from "../src/adapters/process/lookup.ts";

/** A real podman with settings, images and containers of its own, and one image that holds busybox and git. */
export interface ContainerEngine {
  /** What makes our program and podman find all that. */
  readonly env: Readonly<Record<string, string>>;
  readonly image: string;
  /** Of the containers that there are, running or not. */
  containers(): readonly string[];
  podman(...words: readonly string[]): string;
  close(): void;
}

const IMAGE = "box:1";

/** Undefined, with a line that says so, where no podman can run a container. */
export function openContainerEngine(tests: string): ContainerEngine | undefined {
  const path = process.env["PATH"] ?? "";
  const [podman, busybox, git] = ["podman", "busybox", "git"].map((name) => which(name, path));
  if (podman === undefined || busybox === undefined || git === undefined) {
    process.stderr.write(`SKIPPED for lack of podman or busybox: ${tests}\n`);
    return undefined;
  }
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-podman-")));
  const env = settings(dir, which("runc", path));
  const run = (...words: readonly string[]): string =>
    execFileSync(podman, words, { env: { PATH: path, HOME: dir, ...env }, encoding: "utf8", stdio: "pipe" });
  const close = (): void => {
    try {
      run("system", "reset", "--force");
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  };
  try {
    run("import", archive(dir, busybox, git), IMAGE);
    run("run", "--rm", "--network", "none", IMAGE, "sh", "-c", "git --version");
  } catch (error) {
    process.stderr.write(`SKIPPED because podman cannot run a container here: ${tests}\n${String(error)}\n`);
    close();
    return undefined;
  }
  return {
    env,
    image: IMAGE,
    podman: run,
    containers: () => run("ps", "--all", "--format", "{{.Names}}").split("\n").filter(Boolean),
    close,
  };
}

/** A container shares our network where it has one: bridges need more of a machine than these tests do. */
function settings(dir: string, runc: string | undefined): Readonly<Record<string, string>> {
  const file = (name: string, lines: readonly string[]): string => {
    writeFileSync(join(dir, name), `${lines.join("\n")}\n`);
    return join(dir, name);
  };
  return {
    CONTAINERS_CONF: file("containers.conf", [
      "[containers]",
      'default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]',
      'netns = "host"',
      "[engine]",
      'cgroup_manager = "cgroupfs"',
      'events_logger = "file"',
      `tmp_dir = "${dir}/engine"`,
      ...(runc === undefined ? [] : ['runtime = "runc"']),
    ]),
    CONTAINERS_STORAGE_CONF: file("storage.conf", [
      "[storage]",
      'driver = "vfs"',
      `graphroot = "${dir}/storage"`,
      `rootless_storage_path = "${dir}/storage"`,
      `runroot = "${dir}/run"`,
    ]),
  };
}

function archive(dir: string, busybox: string, git: string): string {
  const root = join(dir, "root");
  const put = (path: string, as = path): void => {
    mkdirSync(dirname(join(root, as)), { recursive: true });
    copyFileSync(realpathSync(path), join(root, as));
  };
  put(busybox, "/bin/busybox");
  for (const path of [git, busybox]) {
    const { stdout } = spawnSync("ldd", [path], { encoding: "utf8" });
    for (const [library] of stdout.matchAll(/\/\S+/g)) put(library);
  }
  put(git, "/bin/git");
  const applets = execFileSync(busybox, ["--list"], { encoding: "utf8" }).split("\n").filter(Boolean);
  for (const name of applets) if (name !== "busybox") symlinkSync("busybox", join(root, "bin", name));
  const tar = join(dir, "root.tar");
  execFileSync("tar", ["-C", root, "-cf", tar, "."]);
  return tar;
}
