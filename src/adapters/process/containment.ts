import { spawnSync } from "node:child_process";
import { which } from "./lookup.ts";
import { SANDBOX_ROOM } from "./sandbox.ts";

/**
 * How a command gets a pid namespace of its own, in which killing pid 1 kills everything, daemons included.
 *
 * The agent keeps its user id. With real root no user namespace is made, so root can still change owners; other
 * users get one that maps only themselves: files of others belong to nobody there, and sudo does not work.
 * `unshare` starts faster than bubblewrap (about 1.3 against 2.7 ms) and leaves set-uid programs alone, so it is tried first.
 */
export interface Machine {
  /** Words to put before the command, or undefined where no namespace can be had. */
  namespaceWords(): readonly string[] | undefined;
  /** The bubblewrap that can build a sandbox here, or undefined. */
  sandboxProgram(): string | undefined;
  /** The shell that runs the shim, or undefined. */
  shell(): string | undefined;
}

const UNSHARE = ["--pid", "--fork", "--kill-child", "--mount-proc"];
const BWRAP = ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--as-pid-1"];
const PROBE = ["/bin/sh", "-c", '[ "$$" = 1 ] && [ -r /proc/1/stat ]'];
const PROBE_TIMEOUT_MS = 5000;

/** Looks for the tools on `toolPath`, each once and not before it is needed: a probe blocks for some milliseconds. */
export function probeMachine(toolPath: string): Machine {
  const linux = process.platform === "linux";
  return {
    namespaceWords: once(() => (linux ? firstWorking(namespaceCandidates(toolPath)) : undefined)),
    sandboxProgram: once(() => {
      const bwrap = linux ? which("bwrap", toolPath) : undefined;
      return bwrap !== undefined && works([bwrap, ...SANDBOX_ROOM]) ? bwrap : undefined;
    }),
    shell: once(() => (process.platform === "win32" ? which("sh", toolPath) : "/bin/sh")),
  };
}

function namespaceCandidates(toolPath: string): readonly (readonly string[])[] {
  const unshare = which("unshare", toolPath);
  const bwrap = which("bwrap", toolPath);
  const root = process.getuid?.() === 0;
  return [
    ...(unshare !== undefined && root ? [[unshare, ...UNSHARE]] : []),
    ...(unshare !== undefined ? [[unshare, "--map-current-user", ...UNSHARE]] : []),
    ...(bwrap !== undefined ? [[bwrap, ...BWRAP]] : []),
  ];
}

function firstWorking(candidates: readonly (readonly string[])[]): readonly string[] | undefined {
  return candidates.find(works);
}

function works(words: readonly string[]): boolean {
  const [program = "", ...args] = words;
  return spawnSync(program, [...args, ...PROBE], { stdio: "ignore", timeout: PROBE_TIMEOUT_MS }).status === 0;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
