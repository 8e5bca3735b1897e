import { existsSync, statSync } from "node:fs";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Sandbox } from "../../ports/process.ts";

/**
 * The bubblewrap room that every sandbox starts from: all readable, nothing writable, own /dev and pid namespace.
 * Even root inside keeps only what building software needs; with the right to mount it could undo the room.
 */
export const SANDBOX_ROOM: readonly string[] = [
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--unshare-pid", "--proc", "/proc", "--as-pid-1"],
  ...["--cap-drop", "ALL", ...rootKeeps()],
];

interface Mount {
  readonly at: string;
  readonly words: readonly string[];
}

/**
 * The words that put a command into the sandbox. The deepest path wins: a writable folder inside a hidden one is
 * there and writable, and the other way round. Unix sockets that are visible can still be connected to.
 *
 * Problem: `spawn-failed` for a path that is not there.
 */
export function sandboxWords(bwrap: string, sandbox: Sandbox, cwd: string): Result<readonly string[]> {
  const binds = sandbox.binds ?? [];
  const missing = [...sandbox.writable, ...binds.map((bind) => bind.from)].find((path) => !existsSync(path));
  if (missing !== undefined) {
    return fail("spawn-failed", `the sandbox needs ${missing}, which is not there`, {
      hint: "create it, or take it out of the sandbox",
    });
  }
  const mounts: readonly Mount[] = [
    ...[...sandbox.writable, ...(sandbox.writableWhereThere ?? []).filter((path) => existsSync(path))].map(
      (path) => ({ at: path, words: ["--bind", path, path] }),
    ),
    ...(sandbox.readOnlyWhereThere ?? [])
      .filter((path) => existsSync(path))
      .map((path) => ({ at: path, words: ["--ro-bind", path, path] })),
    ...sandbox.hidden.filter((path) => existsSync(path)).map(mask),
    ...binds.map(({ from, to, writable }) => ({
      at: to,
      words: [writable ? "--bind" : "--ro-bind", from, to],
    })),
  ];
  const inOrder = mounts.toSorted((a, b) => depth(a.at) - depth(b.at));
  return ok([
    bwrap,
    ...SANDBOX_ROOM,
    ...inOrder.flatMap((mount) => mount.words),
    ...(sandbox.network ? [] : ["--unshare-net"]),
    ...["--chdir", cwd],
  ]);
}

function mask(path: string): Mount {
  const words = statSync(path).isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
  return { at: path, words };
}

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}

function rootKeeps(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"].flatMap((name) => [
    "--cap-add",
    `CAP_${name}`,
  ]);
}
