import { resolve } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";

/** What a provider needs to know of the machine. */
export interface Machine {
  /** The PATH in which agents are looked up. */
  readonly path: string;
  /** Absolute path of a command as the given PATH finds it now. */
  readonly which: (command: string, path: string) => string | undefined;
}

/** Linux refuses a single argument of 128 KiB or more, with an error that names no argument. */
const ARGUMENT_LIMIT_BYTES = 128 * 1024;

/**
 * The absolute path, so that a later change of PATH cannot put another program in its place. A relative path such as
 * `./agent.sh` is meant from `cwd`. Problem: `provider-missing`.
 */
export function findExecutable(machine: Machine, command: string, cwd: string, hint: string): Result<string> {
  const isPath = /[/\\]/.test(command);
  const found = machine.which(isPath ? resolve(cwd, command) : command, machine.path);
  if (found !== undefined) return ok(found);
  const where = isPath ? `is no executable file, seen from ${cwd}` : "was not found on PATH";
  return fail("provider-missing", `${command} ${where}`, { hint });
}

/** Problem: `bad-input`, for text that no argument can carry. */
export function checkArguments(argv: readonly string[], hint: string): Result<readonly string[]> {
  const long = argv.find((argument) => Buffer.byteLength(argument) >= ARGUMENT_LIMIT_BYTES);
  if (long !== undefined) {
    return fail(
      "bad-input",
      `an argument of ${Buffer.byteLength(long)} bytes is too long for a command line`,
      {
        hint,
      },
    );
  }
  const broken = argv.some((argument) => argument.includes("\0"));
  return broken ? fail("bad-input", "an argument holds a NUL character", { hint }) : ok(argv);
}
