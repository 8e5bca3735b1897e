import { canonicalJson, type Json } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import { makeId, type SessionId } from "../core/ids.ts";
import { ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { GateLevel } from "../ports/check-rooms.ts";
import type { Workspace } from "../ports/workspace.ts";
import { type ProtectionRequest, protectionOf } from "../verify/protect.ts";
import type { Check, FrozenGate } from "../verify/types.ts";
import { type Advanced, advance } from "./advance.ts";
import { summaryOf } from "./chain.ts";
import { type SessionEvent, toNewEvent } from "./events.ts";
import { step } from "./fold.ts";
import { frozenCommands } from "./frozen-commands.ts";
import { LEASE_MS, type RunOptions, type RunPorts } from "./ports.ts";
import { ownerOf } from "./resume.ts";
import { SessionRun } from "./session-run.ts";
import type { SessionSpec } from "./spec.ts";

/** What a face asks for; everything else is frozen from the machine and the folder. */
export interface StartRequest {
  readonly spec: Omit<SessionSpec, "gate" | "topLevel" | "workspaceKind" | "ignoreRules">;
  readonly dir: string;
  readonly checks: readonly Check[];
  readonly level?: GateLevel;
  readonly guard: boolean;
  readonly flakyRetries: number;
  readonly protection: Omit<ProtectionRequest, "entries" | "commands">;
  readonly envFiles?: readonly string[];
  readonly setup?: readonly string[];
}

/** A session that is frozen but not yet begun: what `--dry-run` shows. */
export interface Prepared {
  readonly spec: SessionSpec;
  readonly workspace: Workspace;
  readonly session: SessionId;
}

/** Looks, hashes and copies; writes nothing to the ledger and nothing into the checkout. */
export async function prepareSession(ports: RunPorts, request: StartRequest): Promise<Result<Prepared>> {
  const top = await ports.workspaces.topLevel(request.dir);
  if (!top.ok) return top;
  const workspace = await ports.workspaces.open(top.value.path, ports.files.workspaceStore(top.value.path));
  if (!workspace.ok) return workspace;
  const session = makeId("session", ports.clock.now(), ports.entropy.bytes(10));
  const gate = await freezeGate(ports, request, workspace.value, session);
  if (!gate.ok) return gate;
  const spec: SessionSpec = {
    ...request.spec,
    topLevel: workspace.value.root,
    workspaceKind: workspace.value.kind,
    ignoreRules: workspace.value.rules,
    gate: gate.value,
  };
  return ok({ spec, workspace: workspace.value, session });
}

async function freezeGate(
  ports: RunPorts,
  request: StartRequest,
  workspace: Workspace,
  session: SessionId,
): Promise<Result<FrozenGate>> {
  const base = await workspace.snapshot();
  if (!base.ok) return base;
  const entries = await workspace.list(base.value);
  if (!entries.ok) return entries;
  const environment = await ports.rooms.freeze({
    workspace,
    base: base.value,
    scratch: ports.files.scratchDir(session),
    ...(request.setup === undefined ? {} : { setup: request.setup }),
    ...(request.envFiles === undefined ? {} : { envFiles: request.envFiles }),
  });
  if (!environment.ok) return environment;
  const commands = await frozenCommands(workspace, base.value, entries.value, request.checks);
  if (!commands.ok) return commands;
  const frozen: Omit<FrozenGate, "digest"> = {
    checks: request.checks,
    goals: request.spec.goals.map((goal) => goal.name),
    protection: protectionOf({ ...request.protection, entries: entries.value, commands: commands.value }),
    environment: environment.value,
    base: base.value,
    ...(request.level === undefined ? {} : { level: request.level }),
    guard: request.guard,
    flakyRetries: request.flakyRetries,
    toolPath: ports.environment["PATH"] ?? "",
  };
  return ok({ ...frozen, digest: sha256(canonicalJson(frozen as unknown as Json)) });
}

/** Writes the first event, takes the lease and the checkout, and runs the session to its end. */
export async function startSession(
  ports: RunPorts,
  options: RunOptions,
  prepared: Prepared,
): Promise<Result<{ readonly run: SessionRun; readonly advanced: Advanced }>> {
  const { spec, workspace, session } = prepared;
  if (!spec.sessionWorktree) {
    const lock = await ports.store.lockCheckout(workspace.root, session, ports.holder);
    if (!lock.ok) return lock;
  }
  const facts = await workspace.facts();
  const nowMs = ports.clock.now();
  const at = instant(nowMs);
  const created: SessionEvent = {
    type: "session:created",
    data: { spec, facts: facts.ok ? facts.value : null },
  };
  const state = step(undefined, { ...created, at, seq: 1 });
  const made = await ports.store.createSession(
    session,
    workspace.root,
    [toNewEvent(created, at)],
    summaryOf(state),
    { owner: ownerOf(ports), expiresAt: instant(nowMs + LEASE_MS), holder: ports.holder },
  );
  if (!made.ok) {
    await ports.store.unlockCheckout(workspace.root, session);
    return made;
  }
  const run = new SessionRun(ports, options, workspace, made.value.lease, state, made.value.summary.head);
  options.onProgress?.({ kind: "event", event: { ...created, at, seq: 1 }, state });
  return ok({ run, advanced: await advance(run) });
}
