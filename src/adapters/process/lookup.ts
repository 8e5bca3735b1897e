import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";

const WINDOWS_ENDINGS = ["", ".exe", ".cmd", ".bat"];

/**
 * Absolute path of the first executable file of that name on the PATH; an absolute path that is executable is itself.
 * Relative PATH entries are passed over.
 */
export function which(command: string, path: string): string | undefined {
  if (isAbsolute(command)) return kindOf(command) === "executable" ? command : undefined;
  const endings = process.platform === "win32" ? WINDOWS_ENDINGS : [""];
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const ending of endings) {
      const candidate = join(folder, command + ending);
      if (kindOf(candidate) === "executable") return candidate;
    }
  }
  return undefined;
}

/**
 * The program to start, as an absolute path. Problems: `command-not-found`; `spawn-failed` for a file that may not
 * be executed.
 */
export function findProgram(command: string, cwd: string, path: string): Result<string> {
  if (!/[/\\]/.test(command)) {
    const found = command === "" ? undefined : which(command, path);
    if (found !== undefined) return ok(found);
    return fail("command-not-found", `no program "${command}" on the PATH`, {
      hint: `install ${command} or give its absolute path`,
    });
  }
  const file = resolve(cwd, command);
  switch (kindOf(file)) {
    case "executable":
      return ok(file);
    case "not-executable":
      return fail("spawn-failed", `${file} is not an executable file`, { hint: `chmod +x ${file}` });
    case "missing":
      return fail("command-not-found", `no program at ${file}`, { hint: "check the path of the command" });
  }
}

function kindOf(file: string): "executable" | "not-executable" | "missing" {
  try {
    if (!statSync(file).isFile()) return "not-executable";
  } catch {
    return "missing";
  }
  try {
    accessSync(file, constants.X_OK);
    return "executable";
  } catch {
    return "not-executable";
  }
}
