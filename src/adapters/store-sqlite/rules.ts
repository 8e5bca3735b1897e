import type { SessionId } from "../../core/ids.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Instant } from "../../core/time.ts";
import type { LeaseHolder, SessionLease } from "../../ports/store.ts";

export type LeaseRequest = Pick<SessionLease, "owner" | "expiresAt" | "holder">;

/** What a store keeps of a session's lease: the fence outlives the holder. `held` is absent while it is free. */
export interface LeaseRecord {
  readonly fence: number;
  readonly held?: SessionLease;
}

/** The lease that a request gets, or `session-running` with the holder. A new holder gets the next fence. */
export function grantLease(
  session: SessionId,
  record: LeaseRecord,
  request: LeaseRequest,
  now: Instant,
  allowTakeover: boolean,
): Result<SessionLease> {
  const { held } = record;
  const mine = held?.owner === request.owner;
  const lapsed = held !== undefined && held.expiresAt < now;
  if (held !== undefined && !mine && !(lapsed && allowTakeover)) return sessionRunning(held, lapsed);
  const sameHolder = mine && held !== undefined && isSameProcess(held.holder, request.holder);
  return ok({ session, ...request, fence: sameHolder ? record.fence : record.fence + 1 });
}

function isSameProcess(a: LeaseHolder, b: LeaseHolder): boolean {
  return a.pid === b.pid && a.host === b.host && a.bootId === b.bootId && a.startTicks === b.startTicks;
}

function sessionRunning(held: SessionLease, lapsed: boolean): Result<never> {
  const state = lapsed ? "was last run" : "is being run";
  return fail("session-running", `session ${held.session} ${state} by ${holderText(held.holder)}`, {
    hint: lapsed
      ? "its lease has lapsed but that process is not known to be dead; end it, then run the command again"
      : `wait for it, or stop it with \`loopwright stop --session ${held.session}\``,
  });
}

export function checkoutBusy(realPath: string, session: SessionId, holder: LeaseHolder): Result<never> {
  return fail("checkout-busy", `${realPath} is in use by session ${session}, ${holderText(holder)}`, {
    hint: `wait for it, stop it with \`loopwright stop --session ${session}\`, or add --worktree`,
  });
}

export function noSuchSession(session: SessionId): Result<never> {
  return fail("no-such-session", `there is no session ${session} in the store`, {
    hint: "list the sessions with `loopwright status`",
  });
}

export function staleLease(session: SessionId, fence: number): Result<never> {
  return fail("stale-lease", `lease ${fence} of session ${session} has ended: another process took over`);
}

export function headMoved(session: SessionId, expectedSeq: number, foundSeq: number): Result<never> {
  return fail(
    "head-moved",
    `the ledger of session ${session} ends at event ${foundSeq}, this append was decided on event ${expectedSeq}`,
  );
}

function holderText(holder: LeaseHolder): string {
  return `pid ${holder.pid} on ${holder.host} since ${holder.since}`;
}
