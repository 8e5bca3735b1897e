import type { CommandContext } from "./types.ts";

/** Who is written down as having decided. */
export function personHere({ env }: Pick<CommandContext, "env">): string {
  return env["USER"] ?? "a person";
}
