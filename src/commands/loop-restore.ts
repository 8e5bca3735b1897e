import { fail, ok, type Result } from "../core/result.ts";
import type { TreeId, Workspace } from "../ports/workspace.ts";
import type { RunPorts } from "../run/ports.ts";
import { openWorkspaceOf } from "../run/session-workspace.ts";
import { ExitCode } from "./exit-codes.ts";
import { type FoundSession, findSession } from "./find-session.ts";
import { readFlags } from "./flag-values.ts";
import { answer, list, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const TREE_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

export const loopRestore: Command = {
  path: ["loop", "restore"],
  group: "Loops",
  brief: "Give your files back as they were at the start or after an iteration",
  details:
    "An iteration that was undone can be had back by its number; a restore, by what it says was there before.",
  args: [{ name: "session", brief: "Session id or number", required: true }],
  flags: {
    to: {
      kind: "text",
      brief: "start, the number of an iteration, or what an earlier restore says was there before",
      placeholder: "start|N|TREE",
    },
  },
  output: answer("loop-restore", { session: text, restored: list(text), kept: list(text), before: text }),
  personOnly: true,
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const found = await findSession(context, ports.value.store, input.args[0], true);
  if (!found.ok) return found;
  const { spec } = found.value.state;
  const workspace = await openWorkspaceOf(ports.value, spec);
  if (!workspace.ok) return workspace;
  const to = readFlags(input).text("to") ?? "start";
  const target = TREE_ID.test(to)
    ? await knownTree(workspace.value, to)
    : await treeOf(ports.value, found.value, to);
  if (!target.ok) return target;
  const locked = await ports.value.store.lockCheckout(
    workspace.value.root,
    found.value.summary.session,
    ports.value.holder,
  );
  if (!locked.ok) return locked;
  try {
    const now = await workspace.value.snapshot();
    if (!now.ok) return now;
    const changes = await workspace.value.diff(now.value, target.value);
    if (!changes.ok) return changes;
    const paths = changes.value.map((change) => change.path);
    const agreed = await agree(context, paths);
    if (!agreed.ok) return agreed;
    const kept = await workspace.value.update(workspace.value.root, now.value, target.value);
    if (!kept.ok) return kept;
    const { session } = found.value.summary;
    return ok({
      exit: ExitCode.ok,
      json: {
        schema: "loopwright.loop-restore/1",
        ok: true,
        session,
        restored: paths.filter((path) => !kept.value.includes(path)),
        kept: kept.value,
        before: now.value,
      },
    });
  } finally {
    await ports.value.store.unlockCheckout(workspace.value.root, found.value.summary.session);
  }
}

async function agree(context: CommandContext, paths: readonly string[]): Promise<Result<void>> {
  if (paths.length === 0 || context.yes) return ok(undefined);
  const shown = paths.slice(0, 10).join(", ") + (paths.length > 10 ? ` and ${paths.length - 10} more` : "");
  const answered = await context.confirm?.(`overwrite ${paths.length} path(s): ${shown}?`);
  if (answered === true) return ok(undefined);
  if (answered === false) return fail("needs-answer", "nothing was restored");
  return fail("needs-answer", `restoring would overwrite ${paths.length} path(s): ${shown}`, {
    hint: "add --yes",
  });
}

async function knownTree(workspace: Workspace, id: string): Promise<Result<TreeId>> {
  const listed = await workspace.list(id as TreeId);
  return listed.ok ? ok(id as TreeId) : fail("bad-flag", `--to ${id} names no state of these files`);
}

async function treeOf(ports: RunPorts, found: FoundSession, to: string): Promise<Result<TreeId>> {
  if (to === "start") return ok(found.state.spec.gate.base);
  const { readChain } = await import("../run/take.ts");
  const chain = await readChain(ports, found.summary.session);
  if (!chain.ok) return chain;
  for (const event of chain.value.toReversed()) {
    if (event.type === "gate:evaluated" && String(event.data.iteration) === to)
      return ok(event.data.result.tree);
    if (event.type === "work:rolled-back" && String(event.data.iteration) === to) return ok(event.data.from);
  }
  return fail("bad-flag", `--to ${to} is neither \`start\` nor an iteration that was judged or undone`);
}
