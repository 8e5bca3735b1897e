import type { SessionId } from "../core/ids.ts";
import { fail, InvariantError, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { LeaseHolder, SessionLease, StoredEvent } from "../ports/store.ts";
import { type Advanced, advance } from "./advance.ts";
import { closeSession, letGo } from "./close.ts";
import { type DatedEvent, fromStored } from "./events.ts";
import { fold } from "./fold.ts";
import { LEASE_MS, type RunOptions, type RunPorts } from "./ports.ts";
import { recover } from "./recover.ts";
import { SessionRun } from "./session-run.ts";
import type { Limits } from "./spec.ts";
import type { SessionState } from "./state.ts";

const PAGE = 5000;

/** The whole chain of a session, parsed. */
export async function readChain(
  ports: Pick<RunPorts, "store">,
  session: SessionId,
): Promise<Result<readonly DatedEvent[]>> {
  const events: DatedEvent[] = [];
  let after = 0;
  for (;;) {
    const page = await ports.store.events(session, after, PAGE);
    if (!page.ok) return page;
    for (const stored of page.value) {
      const event = fromStored(stored);
      if (!event.ok) return event;
      events.push(event.value);
    }
    const last: StoredEvent | undefined = page.value.at(-1);
    if (last === undefined || page.value.length < PAGE) return ok(events);
    after = last.seq;
  }
}

/**
 * Goes on with a session after a crash, a stop, a park or an answer. Work that was under way is drained, reaped or
 * recorded as lost first. `limits` raises ceilings.
 */
export async function resumeSession(
  ports: RunPorts,
  options: RunOptions,
  session: SessionId,
  limits: Partial<Limits> | undefined,
): Promise<Result<{ readonly run: SessionRun; readonly advanced: Advanced }>> {
  const taken = await takeSession(ports, options, session);
  if (!taken.ok) return taken;
  const run = taken.value;
  if (run.state.outcome === "succeeded" && run.state.lifecycle === "closed") {
    await letGo(run, { reason: { why: "goal-satisfied" }, closed: true });
    return fail("session-closed", `session ${session} has reached its goal`, { hint: "start a new one" });
  }
  await recover(run);
  const wasClosed = run.state.lifecycle === "closed";
  if (run.state.stopped !== undefined && !wasClosed) {
    const end = await closeSession(run, run.state.stopped);
    if (run.state.outcome === "succeeded") {
      await letGo(run, end);
      return ok({ run, advanced: { end } });
    }
  }
  await reopen(run, limits);
  return ok({ run, advanced: await advance(run) });
}

/** Claims the session and its checkout for this process and rebuilds what it needs from the chain alone. */
export async function takeSession(
  ports: RunPorts,
  options: RunOptions,
  session: SessionId,
): Promise<Result<SessionRun>> {
  const chain = await readChain(ports, session);
  if (!chain.ok) return chain;
  const state = fold(chain.value);
  if (state === undefined) return fail("no-such-session", `there is no session ${session}`);
  const lease = await takeLease(ports, session);
  if (!lease.ok) return lease;
  const ready = await openRun(ports, options, lease.value, state, chain.value);
  if (!ready.ok) await ports.store.releaseLease(session, lease.value.fence);
  return ready;
}

async function openRun(
  ports: RunPorts,
  options: RunOptions,
  lease: SessionLease,
  state: SessionState,
  events: readonly DatedEvent[],
): Promise<Result<SessionRun>> {
  const workspace = await ports.workspaces.open(
    state.spec.topLevel,
    ports.files.workspaceStore(state.spec.topLevel),
    state.spec.ignoreRules,
  );
  if (!workspace.ok) return workspace;
  if (!state.spec.sessionWorktree) {
    const lock = await ports.store.lockCheckout(workspace.value.root, lease.session, ports.holder);
    if (!lock.ok) return lock;
  }
  const head = await ports.store.head(lease.session);
  if (!head.ok) return head;
  const run = new SessionRun(ports, options, workspace.value, lease, state, head.value);
  run.headKnown = false;
  for (const event of events) if (event.type === "baseline:recorded") run.baseline = event.data.baseline;
  return ok(run);
}

/** Never takes over while the old holder lives, however old its lease: a sleeping laptop wakes up again. */
async function takeLease(ports: RunPorts, session: SessionId): Promise<Result<SessionLease>> {
  const current = await ports.store.lease(session);
  if (!current.ok) return current;
  const nowMs = ports.clock.now();
  const expiresMs = current.value === undefined ? 0 : Date.parse(current.value.expiresAt);
  const allowTakeover = current.value === undefined || isGone(ports, current.value.holder, expiresMs < nowMs);
  /** A dead holder's lease is over, whatever it says. */
  const asOfMs = allowTakeover ? Math.max(nowMs, expiresMs + 1) : nowMs;
  return ports.store.acquireLease(
    session,
    { owner: ownerOf(ports), expiresAt: instant(nowMs + LEASE_MS), holder: ports.holder },
    instant(asOfMs),
    allowTakeover,
  );
}

/** On this host the process itself answers; on another host only the lease can. */
function isGone(ports: RunPorts, holder: LeaseHolder, lapsed: boolean): boolean {
  if (holder.host !== ports.holder.host) return lapsed;
  const { pidNamespace } = ports.process.self();
  return !ports.process.isAlive({ ...holder, pidNamespace });
}

export function ownerOf(ports: Pick<RunPorts, "holder">): string {
  const { host, pid, startTicks } = ports.holder;
  return `${host}:${pid}:${startTicks}`;
}

/** Marks the resume in the chain; from `closed` the session goes through validation again. */
async function reopen(run: SessionRun, limits: Partial<Limits> | undefined): Promise<void> {
  await run.chain.commit((state) => {
    if (state.lifecycle !== "closed" && state.stopped !== undefined) {
      throw new InvariantError("a stopped session is closed before it is reopened");
    }
    const data = limits === undefined ? {} : { limits };
    const from = state.lifecycle;
    return {
      events: [
        ...(from === "closed"
          ? [{ type: "session:moved", data: { from, to: "validating", why: "resume" } } as const]
          : []),
        { type: "session:resumed", data },
      ],
    };
  });
}
