import { isAbsolute, relative, resolve } from "node:path";
import type { Permission } from "../../../ports/provider.ts";
import { EDIT_COMMANDS, READ_COMMANDS } from "../command-lists.ts";

/** A tool call that an agent asks leave for, as it describes it. */
export interface AskedCall {
  readonly kind: string;
  readonly paths: readonly string[];
  readonly command: string | undefined;
}

const LOOKING = ["read", "search", "think"];
const CHANGING = ["edit", "delete", "move"];
/** What makes one command line run more than the program it begins with. */
const SHELL_SYNTAX = /[;&|<>`$(){}\n\r\\]/;

/**
 * Whether the permission of a piece covers a call. What cannot be told from the description is not covered: a change
 * without a path, a command that a shell would take apart, a kind that nobody knows. The agent describes itself, so this
 * guards against accidents, not against malice.
 */
export function isCovered(permission: Permission, cwd: string, call: AskedCall): boolean {
  if (permission === "full" || LOOKING.includes(call.kind)) return true;
  if (call.kind === "execute") {
    return runsOnly(
      call.command,
      permission === "edit" ? [...EDIT_COMMANDS, ...READ_COMMANDS] : READ_COMMANDS,
    );
  }
  if (permission === "read" || !CHANGING.includes(call.kind)) return false;
  return call.paths.length > 0 && call.paths.every((path) => isBelow(cwd, path));
}

function isBelow(cwd: string, path: string): boolean {
  const way = relative(cwd, resolve(cwd, path));
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

function runsOnly(line: string | undefined, programs: readonly string[]): boolean {
  const command = line?.trim() ?? "";
  if (command === "" || SHELL_SYNTAX.test(command)) return false;
  return programs.some((program) => command === program || command.startsWith(`${program} `));
}
