import { existsSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import type { ContainerRequest, ContainerWords } from "../../ports/containers.ts";
import { CLIENT_ENV } from "./client.ts";
import type { Runtime } from "./runtime.ts";

/** Enough for any build, and no way to use the machine up. */
const MOST_PROCESSES = 4096;
const MEMORY_SHARE = 0.75;
/** Where podman's first process may lie; its packages do not all bring one, and it refuses `--init` without. */
const PODMAN_INITS = [
  "/usr/libexec/podman/catatonit",
  "/usr/local/libexec/podman/catatonit",
  "/usr/lib/podman/catatonit",
  "/usr/local/lib/podman/catatonit",
  "/usr/bin/catatonit",
];

export function wordsOf(runtime: Runtime, request: ContainerRequest): Result<ContainerWords> {
  const { name, image, cwd, network } = request;
  const mounts = [
    ...request.readable.filter((path) => existsSync(path)).map((path) => ({ path, more: ",readonly" })),
    ...request.writable.filter((path) => willBeThere(path, cwd)).map((path) => ({ path, more: "" })),
  ];
  const odd = mounts.find(({ path }) => /[,"\n]/.test(path));
  if (odd !== undefined) {
    return fail("container-unavailable", `a container cannot be given the path ${odd.path}`, {
      hint: "use a folder without commas and quotes in its path",
    });
  }
  const memory = `${Math.floor(totalmem() * MEMORY_SHARE)}b`;
  return ok({
    image,
    clientEnv: CLIENT_ENV,
    words: [
      ...[runtime.program, "run", "--rm", "--interactive", "--name", name, "--pull", "never"],
      // The network that is had without a word is the one that works here: without root it is no bridge.
      ...["--workdir", cwd, ...(network ? [] : ["--network", "none"])],
      ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
      ...["--pids-limit", String(MOST_PROCESSES), "--memory", memory],
      ...["--read-only", "--tmpfs", "/tmp:exec", "--env", "HOME=/tmp"],
      ...(runtime.kind === "podman" ? podmanWords() : ["--init"]),
      ...userWords(runtime),
      ...mounts.flatMap(({ path, more }) => ["--mount", `type=bind,source=${path},target=${path}${more}`]),
    ],
  });
}

/** A worktree, and with the first one git's folder of their records, are made between now and the start. */
function willBeThere(path: string, cwd: string): boolean {
  return path === cwd || statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true;
}

function podmanWords(): readonly string[] {
  const init = PODMAN_INITS.find((path) => existsSync(path));
  return [
    // Its own idea of read-only leaves folders writable that are not ours to give.
    "--read-only-tmpfs=false",
    // Else a removal by force first waits ten seconds for an agent that does not listen.
    ...["--stop-timeout", "0"],
    ...(init === undefined ? [] : ["--init", "--init-path", init]),
  ];
}

/** What is written belongs to us, not to root or to a user that there is not. */
function userWords({ kind, isRootless }: Runtime): readonly string[] {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  if (user === undefined || group === undefined) return [];
  if (isRootless && kind === "docker") return ["--user", "0:0"];
  return [...(isRootless ? ["--userns", "keep-id"] : []), "--user", `${user}:${group}`];
}
