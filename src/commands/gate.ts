import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { findSession } from "./find-session.ts";
import { answer, flag, list, object, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const gate: Command = {
  path: ["gate"],
  group: "Verify",
  brief: "Judge a session's goal again on your files as they are now",
  details: "A goal that no longer holds is taken back: the ledger gets a goal:revoked.",
  args: [{ name: "session", brief: "Session id or number", required: false }],
  flags: {},
  output: answer("gate", {
    session: text,
    tree: text,
    level: text,
    satisfied: flag,
    revoked: flag,
    checks: list(
      object({ check: text, blocking: flag, verdict: text, why: orNull(text), tail: orNull(text) }),
    ),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { judgeAgain } = await import("../run/judge-again.ts");
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const found = await findSession(context, ports.value.store, input.args[0], true);
  if (!found.ok) return found;
  const judged = await judgeAgain(ports.value, found.value.summary.session);
  if (!judged.ok) return judged;
  const { result, revoked } = judged.value;
  return ok({
    exit: result.satisfied ? ExitCode.ok : ExitCode.notSatisfied,
    json: {
      schema: "loopwright.gate/1",
      ok: true,
      session: found.value.summary.session,
      tree: result.tree,
      level: result.level,
      satisfied: result.satisfied,
      revoked,
      checks: result.checks.map((check) => ({
        check: check.check,
        blocking: check.blocking,
        verdict: check.verdict,
        why:
          check.verdict === "fail"
            ? check.why
            : check.verdict === "uncheckable"
              ? check.problem.message
              : null,
        tail: check.evidence?.tail ?? null,
      })),
    },
  });
}
