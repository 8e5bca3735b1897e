import { addUsage, type TokenUsage } from "../../core/tokens.ts";
import {
  ALL_TIME,
  type Call,
  isNothing,
  subtractUsage,
  type TimeWindow,
  type UnloggedUsage,
} from "../call.ts";
import { canonicalModel } from "../prices/names.ts";
import type { ClaudeFacts, CostState } from "./facts.ts";

/** A session's own transcript, what it made of it, and where its copied history came from. */
export interface StatedSession {
  readonly main: ClaudeFacts;
  readonly calls: readonly Call[];
  /** The parent's transcript and the parent's line on which the copied history ends; absent for a session that copied nothing. */
  readonly inherited?: { readonly parent: ClaudeFacts | undefined; readonly endLine: number } | undefined;
}

/**
 * What the agent's running totals hold beyond the calls that its log shows, by model, between two moments (all of
 * it without them). Undefined when it cannot be told: no totals, or a base that is not there.
 */
export function unloggedUsage(
  session: StatedSession,
  { fromMs, toMs }: TimeWindow = ALL_TIME,
): readonly UnloggedUsage[] | undefined {
  const states = session.main.costStates;
  const last = states.findLast((state) => (state.atMs ?? 0) <= toMs);
  if (last === undefined || (last.atMs ?? 0) < fromMs) return undefined;
  const base = baseOf(session, fromMs);
  if (base === undefined) return undefined;
  const nextMs = timeAfter(session.main, last);
  const own = session.calls.filter(
    (call) => call.atMs >= fromMs && call.atMs <= toMs && (nextMs === undefined || call.atMs < nextMs),
  );
  return restByModel(last, base === "nothing" ? undefined : base, own);
}

/** The totals that were there before: of this session's earlier processes, or of the parent at the fork. */
function baseOf(session: StatedSession, fromMs: number): CostState | "nothing" | undefined {
  const before = session.main.costStates.findLast((state) => (state.atMs ?? 0) < fromMs);
  if (before !== undefined) return before;
  if (session.calls.some((call) => call.atMs < fromMs)) return undefined;
  if (session.inherited === undefined) return "nothing";
  const { parent, endLine } = session.inherited;
  return parent?.costStates.find((state) => state.line > endLine);
}

/** When the session went on after a total was written: calls from then on are not in it. */
function timeAfter(main: ClaudeFacts, state: CostState): number | undefined {
  const times = [
    ...main.anchors.flatMap((anchor) => (anchor.line > state.line ? (anchor.atMs ?? []) : [])),
    ...main.calls.flatMap((call) => (call.firstLine > state.line ? call.atMs : [])),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

function restByModel(last: CostState, base: CostState | undefined, own: readonly Call[]): UnloggedUsage[] {
  const rest: UnloggedUsage[] = [];
  for (const stated of last.models) {
    const isSame = (entry: { readonly model: string }): boolean =>
      canonicalModel(entry.model) === canonicalModel(stated.model);
    const before = base?.models.find(isSame);
    const calls = own.filter(isSame);
    const logged = calls.reduce<TokenUsage>((sum, call) => addUsage(sum, call.usage), {});
    const usage = positive(
      subtractUsage(subtractUsage(stated.usage, before?.usage ?? {}), { ...logged, requests: 0 }),
    );
    const searches = calls.reduce((sum, call) => sum + call.webSearches, 0);
    const webSearches = Math.max(0, stated.webSearches - (before?.webSearches ?? 0) - searches);
    if (!isNothing(usage) || webSearches > 0) rest.push({ model: stated.model, usage, webSearches });
  }
  return rest;
}

function positive(usage: TokenUsage): TokenUsage {
  return Object.fromEntries(Object.entries(usage).map(([key, count]) => [key, Math.max(0, count)]));
}
