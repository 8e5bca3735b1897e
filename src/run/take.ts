import { verifyChain } from "../core/chain.ts";
import type { SessionId } from "../core/ids.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import type { ChainHead, LeaseHolder, SessionLease, StoredEvent } from "../ports/store.ts";
import { lockCheckout } from "./checkout.ts";
import { type DatedEvent, fromStored } from "./events.ts";
import { fold } from "./fold.ts";
import { LEASE_MS, type RunOptions, type RunPorts } from "./ports.ts";
import { SessionRun } from "./session-run.ts";
import { openWorkspaceOf } from "./session-workspace.ts";
import { disowned } from "./tampering.ts";

const PAGE = 5000;

/** The whole chain of a session, parsed. */
export async function readChain(
  ports: Pick<RunPorts, "store">,
  session: SessionId,
): Promise<Result<readonly DatedEvent[]>> {
  const stored = await readStored(ports, session);
  return stored.ok ? parseAll(stored.value) : stored;
}

async function readStored(
  ports: Pick<RunPorts, "store">,
  session: SessionId,
): Promise<Result<readonly StoredEvent[]>> {
  const events: StoredEvent[] = [];
  for (;;) {
    const page = await ports.store.events(session, events.length, PAGE);
    if (!page.ok) return page;
    events.push(...page.value);
    if (page.value.length < PAGE) return ok(events);
  }
}

function parseAll(stored: readonly StoredEvent[]): Result<readonly DatedEvent[]> {
  const events: DatedEvent[] = [];
  for (const one of stored) {
    const event = fromStored(one);
    if (!event.ok) return event;
    events.push(event.value);
  }
  return ok(events);
}

/**
 * Claims the session and its checkout for this process and rebuilds what it needs from the chain alone. The chain is
 * read under the lease, when nobody else writes, and walked: what a dead process left is not taken on trust.
 */
export async function takeSession(
  ports: RunPorts,
  options: RunOptions,
  session: SessionId,
): Promise<Result<SessionRun>> {
  const lease = await takeLease(ports, session);
  if (!lease.ok) return lease;
  const ready = await openRun(ports, options, lease.value);
  if (!ready.ok) await ports.store.releaseLease(session, lease.value.fence);
  return ready;
}

async function openRun(
  ports: RunPorts,
  options: RunOptions,
  lease: SessionLease,
): Promise<Result<SessionRun>> {
  const chain = await walkedChain(ports, lease.session);
  if (!chain.ok) return chain;
  const { events, head } = chain.value;
  const state = fold(events);
  if (state === undefined) return fail("no-such-session", `there is no session ${lease.session}`);
  const workspace = await openWorkspaceOf(ports, state.spec);
  if (!workspace.ok) return workspace;
  if (!state.spec.sessionWorktree) {
    const lock = await lockCheckout(ports, workspace.value, lease.session);
    if (!lock.ok) return lock;
  }
  const run = new SessionRun(ports, options, workspace.value, lease, state, head);
  run.headKnown = false;
  for (const event of events) if (event.type === "baseline:recorded") run.baseline = event.data.baseline;
  return ok(run);
}

async function walkedChain(
  ports: RunPorts,
  session: SessionId,
): Promise<Result<{ readonly events: readonly DatedEvent[]; readonly head: ChainHead }>> {
  const head = await ports.store.head(session);
  if (!head.ok) return head;
  const stored = await readStored(ports, session);
  if (!stored.ok) return stored;
  const walked = verifyChain(stored.value, head.value);
  if (!walked.ok) return walked;
  const events = parseAll(stored.value);
  if (!events.ok) return events;
  const problem = disowned(events.value);
  return problem === undefined ? ok({ events: events.value, head: head.value }) : { ok: false, problem };
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

/** On this host the process itself answers, where processes can be told apart; elsewhere only the lease can. */
function isGone(ports: RunPorts, holder: LeaseHolder, lapsed: boolean): boolean {
  if (holder.host !== ports.holder.host || holder.startTicks === "") return lapsed;
  const { pidNamespace } = ports.process.self();
  return !ports.process.isAlive({ ...holder, pidNamespace });
}

export function ownerOf(ports: Pick<RunPorts, "holder">): string {
  const { host, pid, startTicks } = ports.holder;
  return `${host}:${pid}:${startTicks}`;
}
