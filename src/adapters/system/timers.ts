import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { TimerSystem } from "../../ports/timer-system.ts";

const PATIENCE_MS = 20_000;

export function timerSystem(env: Readonly<Record<string, string | undefined>>): TimerSystem {
  const homeDir = env["HOME"] ?? homedir();
  const searchPath = env["PATH"] ?? "";
  return {
    platform: process.platform,
    homeDir,
    configDir: env["XDG_CONFIG_HOME"] ?? join(homeDir, ".config"),
    uid: process.getuid?.() ?? 0,
    program: [process.execPath, realpathSync(process.argv[1] ?? "")],
    searchPath,
    has: (program) => searchPath.split(delimiter).some((folder) => isProgram(folder, program)),
    run: ([program = "", ...args], stdin = "") =>
      new Promise((done) => {
        const options = { timeout: PATIENCE_MS, env: { ...env } };
        const child = execFile(program, args, options, (_error, out) => done({ exit: child.exitCode, out }));
        child.stdin?.on("error", () => undefined);
        child.stdin?.end(stdin);
      }),
    removeFile: (path) => rm(path, { force: true }),
  };
}

function isProgram(folder: string, name: string): boolean {
  if (!isAbsolute(folder)) return false;
  try {
    accessSync(join(folder, name), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
