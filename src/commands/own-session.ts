import { fail, ok, type Result } from "../core/result.ts";
import type { CommandContext } from "./types.ts";

/** A session that was active so lately may be the one that asks. */
const ACTIVE_MS = 10 * 60_000;

/**
 * The session that is meant. `self` is the Claude Code session that this command runs in, else the only one of this
 * folder that was active in the last ten minutes. Problem: `no-such-agent-session` with the way to list them.
 */
export async function ownSession(
  context: Pick<CommandContext, "env" | "cwd" | "now" | "usage">,
  session: string | undefined,
  harness: string | undefined,
): Promise<Result<string | undefined>> {
  if (session !== "self") return ok(session);
  const hint = "list them with `loopwright run sessions` and name one with --session ID";
  if (harness !== undefined && harness !== "claude-code")
    return fail("bad-flag", `self means a session of claude-code, not of ${harness}`, { hint });
  const own = context.env["CLAUDE_CODE_SESSION_ID"];
  if (own !== undefined && own !== "") return ok(own);
  const usage = await context.usage();
  if (!usage.ok) return usage;
  const { sessions } = usage.value;
  const active = (await sessions()).filter(
    (seen) =>
      seen.harness === "claude-code" &&
      seen.cwd === context.cwd &&
      Date.parse(seen.lastAt) >= context.now() - ACTIVE_MS,
  );
  const [only, ...others] = active;
  if (only !== undefined && others.length === 0) return ok(only.session);
  const found = active.length === 0 ? "no session" : `${active.length} sessions`;
  return fail("no-such-agent-session", `${found} of claude-code was active in ${context.cwd} just now`, {
    hint,
  });
}
