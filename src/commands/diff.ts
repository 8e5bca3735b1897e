import { ok, type Result } from "../core/result.ts";
import { openWorkspaceOf } from "../run/session-workspace.ts";
import { ExitCode } from "./exit-codes.ts";
import { findSession, SESSION_FLAG } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { answer, list, object, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const diff: Command = {
  path: ["diff"],
  group: "Loops",
  brief: "What a session has changed since its start",
  args: [],
  flags: { session: SESSION_FLAG },
  output: answer("diff", { session: text, changes: list(object({ path: text, kind: text })), patch: text }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const found = await findSession(context, ports.value.store, readFlags(input).text("session"), true);
  if (!found.ok) return found;
  const { state, summary } = found.value;
  const { spec } = state;
  const workspace = await openWorkspaceOf(ports.value, spec);
  if (!workspace.ok) return workspace;
  const [changes, patch] = await Promise.all([
    workspace.value.diff(spec.gate.base, state.currentTree),
    workspace.value.patch(spec.gate.base, state.currentTree),
  ]);
  if (!changes.ok) return changes;
  if (!patch.ok) return patch;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.diff/1",
      ok: true,
      session: summary.session,
      changes: changes.value.map(({ path, kind }) => ({ path, kind })),
      patch: patch.value,
    },
  });
}
