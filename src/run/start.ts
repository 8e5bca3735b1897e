import { makeId, type SessionId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { GateLevel } from "../ports/check-rooms.ts";
import type { Workspace } from "../ports/workspace.ts";
import { type FreezeRequest, type Frozen, freezeGate } from "../verify/freeze.ts";
import type { Check, FrozenGate } from "../verify/types.ts";
import { type Advanced, advance } from "./advance.ts";
import { summaryOf } from "./chain.ts";
import { lockCheckout } from "./checkout.ts";
import { type SessionEvent, toNewEvent } from "./events.ts";
import { step } from "./fold.ts";
import { LEASE_MS, type RunOptions, type RunPorts } from "./ports.ts";
import { noSandbox } from "./sandbox.ts";
import { SessionRun } from "./session-run.ts";
import type { SessionRule, SessionSpec } from "./spec.ts";
import { ownerOf } from "./take.ts";

/** What a face asks for; everything else is frozen from the machine and the folder. */
export interface StartRequest {
  readonly spec: Omit<
    SessionSpec,
    "gate" | "entry" | "approvalGate" | "topLevel" | "workspaceKind" | "ignoreRules" | "commands"
  >;
  readonly dir: string;
  readonly checks: readonly Check[];
  /** Looked at before anything runs, in the folder itself. */
  readonly entry?: { readonly checks: readonly Check[]; readonly rules: readonly SessionRule[] };
  /** Detectors of approval rules, each by the name of its rule. */
  readonly approvalChecks?: readonly Check[];
  readonly level?: GateLevel;
  readonly guard: boolean;
  readonly flakyRetries: number;
  readonly protection: Pick<FreezeRequest, "protect" | "unprotect" | "allowTests">;
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
  if (request.spec.threat === "sandboxed" && !ports.process.canSandbox)
    return { ok: false, problem: noSandbox() };
  const ready = await whetherReady(workspace.value, request);
  if (!ready.ok) return ready;
  const session = makeId("session", ports.clock.now(), ports.entropy.bytes(10));
  const frozen = await freezeFrom(ports, request, workspace.value, session);
  if (!frozen.ok) return frozen;
  const entry = await freezeLook(workspace.value, request, frozen.value, request.entry?.checks);
  if (!entry.ok) return entry;
  const approval = await freezeLook(workspace.value, request, frozen.value, request.approvalChecks);
  if (!approval.ok) return approval;
  const spec: SessionSpec = {
    ...request.spec,
    ...(entry.value !== undefined && { entry: { gate: entry.value, rules: request.entry?.rules ?? [] } }),
    ...(approval.value !== undefined && { approvalGate: approval.value }),
    topLevel: workspace.value.root,
    workspaceKind: workspace.value.kind,
    ignoreRules: workspace.value.rules,
    ...frozen.value,
  };
  return ok({ spec, workspace: workspace.value, session });
}

/** What the end of the session needs, looked at before there is anything to lose. */
async function whetherReady(workspace: Workspace, { spec }: StartRequest): Promise<Result<void>> {
  if (spec.delivery.kind !== "leave") {
    const deliverable = await workspace.canDeliver(spec.delivery);
    if (!deliverable.ok) return deliverable;
  }
  if (!spec.sessionWorktree) return ok(undefined);
  if (workspace.kind === "folder") {
    return fail("not-a-repository", `${workspace.root} is no git repository, so it has no worktrees`);
  }
  const facts = await workspace.facts();
  if (!facts.ok) return facts;
  return facts.value.head === null
    ? fail("no-commits", "a worktree needs a repository with at least one commit", {
        hint: "commit something first: git commit --allow-empty -m begin",
      })
    : ok(undefined);
}

/** What a gate is frozen from. */
export type FreezeFrom = Pick<
  StartRequest,
  "checks" | "protection" | "level" | "guard" | "flakyRetries" | "setup" | "envFiles"
> & { readonly spec: Pick<StartRequest["spec"], "goals"> };

export async function freezeFrom(
  ports: RunPorts,
  request: FreezeFrom,
  workspace: Workspace,
  session: SessionId,
): Promise<Result<Frozen>> {
  const base = await workspace.snapshot();
  if (!base.ok) return base;
  const environment = await ports.rooms.freeze({
    workspace,
    base: base.value,
    scratch: ports.files.scratchDir(session),
    ...(request.setup === undefined ? {} : { setup: request.setup }),
    ...(request.envFiles === undefined ? {} : { envFiles: request.envFiles }),
  });
  if (!environment.ok) return environment;
  const { checks, protection, level, guard, flakyRetries } = request;
  return freezeGate(workspace, {
    ...protection,
    base: base.value,
    checks,
    goals: goalsOfChecks(request),
    environment: environment.value,
    ...(level === undefined ? {} : { level }),
    guard,
    flakyRetries,
    toolPath: ports.environment["PATH"] ?? "",
  });
}

/** Checks that look at the folder itself, before there is any work to judge. */
async function freezeLook(
  workspace: Workspace,
  { protection }: StartRequest,
  { gate }: Frozen,
  checks: readonly Check[] = [],
): Promise<Result<FrozenGate | undefined>> {
  if (checks.length === 0) return ok(undefined);
  const { base, environment, flakyRetries, toolPath } = gate;
  const frozen = await freezeGate(workspace, {
    ...protection,
    base,
    checks,
    goals: [],
    environment,
    level: "in-place",
    guard: false,
    flakyRetries,
    toolPath,
  });
  return frozen.ok ? ok(frozen.value.gate) : frozen;
}

/** What is left to judges alone is held by their verdicts; the gate would find nothing to satisfy there. */
function goalsOfChecks({ spec, checks }: FreezeFrom): readonly string[] {
  const isChecked = (goal: string): boolean =>
    checks.some(({ target, blocking }) => target === goal && blocking);
  return spec.goals
    .filter(({ name, judged }) => judged === undefined || isChecked(name))
    .map(({ name }) => name);
}

/** Writes the first event, takes the lease and the checkout, and runs the session to its end. */
export async function startSession(
  ports: RunPorts,
  options: RunOptions,
  prepared: Prepared,
): Promise<Result<{ readonly run: SessionRun; readonly advanced: Advanced }>> {
  const { spec, workspace, session } = prepared;
  if (!spec.sessionWorktree) {
    const lock = await lockForStart(ports, prepared);
    if (!lock.ok) {
      await ports.files.discard(session);
      return lock;
    }
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
    await ports.files.discard(session);
    return made;
  }
  const run = new SessionRun(ports, options, workspace, made.value.lease, state, made.value.summary.head);
  options.onProgress?.({ kind: "event", event: { ...created, at, seq: 1 }, state });
  return ok({ run, advanced: await advance(run) });
}

/** What was frozen must still be what is there once another session's last check has been put back. */
async function lockForStart(ports: RunPorts, { spec, workspace, session }: Prepared): Promise<Result<void>> {
  const lock = await lockCheckout(ports, workspace, session);
  if (!lock.ok) return lock;
  if (lock.value === "free") return ok(undefined);
  const now = await workspace.snapshot();
  if (now.ok && now.value === spec.gate.base) return ok(undefined);
  await ports.store.unlockCheckout(workspace.root, session);
  if (!now.ok) return now;
  return fail(
    "work-conflict",
    "a session that was cut off had left its last check in this folder; it is put back now",
    {
      hint: "run the command again",
    },
  );
}
