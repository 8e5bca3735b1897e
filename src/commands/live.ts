import type { Result } from "../core/result.ts";
import type { SessionLease } from "../ports/store.ts";
import type { CommandContext } from "./types.ts";

/** Whether a process holds the session now: its lease runs, and the process has not died meanwhile. */
export async function isLive(
  context: CommandContext,
  lease: Result<SessionLease | undefined> | undefined,
): Promise<boolean> {
  if (lease?.ok !== true || lease.value === undefined) return false;
  if (Date.parse(lease.value.expiresAt) <= context.now()) return false;
  return !(await context.isKnownDead(lease.value.holder));
}
