import { ok, type Result } from "../../core/result.ts";
import type { ProviderTask } from "../../ports/provider.ts";
import { findExecutable, type Machine } from "./executable.ts";

type Place = Pick<ProviderTask, "cwd" | "container">;

/** Where the program is: in an image by its name alone, which says nothing about this machine. */
export function findProgram(machine: Machine, command: string, task: Place, hint: string): Result<string> {
  return task.container === undefined ? findExecutable(machine, command, task.cwd, hint) : ok(command);
}

/** Ours that an agent may know of. */
const PASSED = ["LOOPWRIGHT_ATTEMPT", "LOOPWRIGHT_SESSION", "LANG", "TZ", "TERM"];

/** The command as it is started, in the container that the task names. Values of variables stay off the command line. */
export function inContainer(
  { container }: Place,
  envNames: readonly string[],
  command: readonly string[],
): { readonly argv: readonly string[]; readonly envNames: readonly string[] } {
  if (container === undefined) return { argv: command, envNames };
  const passed = [...PASSED, ...envNames].flatMap((name) => ["--env", name]);
  return {
    argv: [...container.words, ...passed, container.image, ...command],
    envNames: [...envNames, ...container.clientEnv],
  };
}
