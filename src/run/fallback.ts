import { instant } from "../core/time.ts";
import type { AttemptEnd } from "../ports/provider.ts";
import { askedInVain } from "./answers.ts";
import { strongerProviders } from "./perturb.ts";
import { parkDelayMs } from "./retry.ts";
import type { AgentPiece } from "./spec.ts";
import type { OutOfService, SessionState } from "./state.ts";

/** Who does a piece now: the first of its providers that can work, and the first of all while none can. */
export function providerNow(state: SessionState, piece: AgentPiece, nowMs: number): string {
  return workingOne(state, piece, nowMs) ?? piece.provider;
}

/** Who can still do an agent's piece; undefined when nobody can, or when it is no agent's. */
export function successorOf(state: SessionState, id: string, nowMs: number): string | undefined {
  const piece = state.spec.pieces.find((one) => one.id === id);
  return piece?.kind === "agent" ? workingOne(state, piece, nowMs) : undefined;
}

function workingOne(state: SessionState, piece: AgentPiece, nowMs: number): string | undefined {
  const inTurn = [...strongerProviders(state, piece), piece.provider, ...(piece.fallbacks ?? [])];
  const working = inTurn.filter((id) => canWork(state.outOfService?.[id], nowMs));
  const inVain = askedInVain(state, piece.id);
  return working.find((id) => !inVain.includes(id)) ?? working[0];
}

function canWork(out: OutOfService | undefined, nowMs: number): boolean {
  return out === undefined || (out.until !== null && nowMs >= Date.parse(out.until));
}

/** The state with an attempt's provider out of service; undefined when its end says nothing of the provider. */
export function withOut(
  state: SessionState,
  provider: string,
  end: AttemptEnd,
  isLastRetry: boolean,
  at: string,
): SessionState | undefined {
  const out = outAfter(end, isLastRetry, at, state.parks);
  return out === undefined
    ? undefined
    : { ...state, outOfService: { ...state.outOfService, [provider]: out } };
}

const REST_MS = 60 * 60_000;

/**
 * What an end says of the provider, where it speaks of the provider and not of the work: a login, a program or a
 * setting that is wrong stays so until a person acts; a rate limit ends; one that failed over and over rests an hour.
 */
function outAfter(
  end: AttemptEnd,
  isLastRetry: boolean,
  at: string,
  parks: number,
): OutOfService | undefined {
  if (end.reason === "retry-later")
    return { why: end.detail, until: end.retryAt ?? instant(Date.parse(at) + parkDelayMs(parks)) };
  if (end.reason !== "failed") return undefined;
  switch (end.kind) {
    case "auth":
    case "missing":
    case "configuration":
      return isLastRetry ? { why: end.detail, until: null } : undefined;
    case "transient":
      return isLastRetry ? { why: end.detail, until: instant(Date.parse(at) + REST_MS) } : undefined;
    case "agent-error":
    case "signal":
      return undefined;
  }
}
