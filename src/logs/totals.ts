import type { AgentName } from "./call.ts";
import type { DamageList } from "./lines.ts";
import { alikeRows } from "./spend.ts";
import type { SessionSummary, UsageRow } from "./summary.ts";
import type { SummaryScan } from "./summary-scan.ts";

/** What one agent's sessions come to. */
export interface AgentTotals {
  readonly agent: AgentName;
  readonly sessions: number;
  readonly subagents: number;
  readonly firstAtMs?: number;
  readonly lastAtMs?: number;
  readonly warnings: number;
  /** One for all calls that cost the same per token, on whatever session and time of day. */
  readonly rows: readonly UsageRow[];
}

export interface LogTotals {
  readonly agents: readonly AgentTotals[];
  /** The first few by name. */
  readonly damaged: Readonly<DamageList>;
}

const SHOWN_DAMAGE = 20;

export function totalsOf({ sessions, damaged }: Pick<SummaryScan, "sessions" | "damaged">): LogTotals {
  const byAgent = new Map<AgentName, SessionSummary[]>();
  for (const session of sessions) {
    const own = byAgent.get(session.agent);
    if (own === undefined) byAgent.set(session.agent, [session]);
    else own.push(session);
  }
  const lines = damaged.lines.slice(0, SHOWN_DAMAGE);
  return {
    agents: [...byAgent].map(([agent, own]) => agentTotals(agent, own)),
    damaged: { lines, more: damaged.more + damaged.lines.length - lines.length },
  };
}

function agentTotals(agent: AgentName, sessions: readonly SessionSummary[]): AgentTotals {
  const subagents = new Set<string>();
  let [firstAtMs, lastAtMs, warnings] = [Infinity, -Infinity, 0];
  for (const session of sessions) {
    for (const { subagent } of session.rows) {
      if (subagent !== undefined) subagents.add(`${session.id} ${subagent}`);
    }
    for (const ms of [session.firstAtMs, session.lastAtMs]) {
      if (ms === undefined) continue;
      firstAtMs = Math.min(firstAtMs, ms);
      lastAtMs = Math.max(lastAtMs, ms);
    }
    warnings += session.warningCount;
  }
  return {
    agent,
    sessions: sessions.length,
    subagents: subagents.size,
    ...(firstAtMs === Infinity ? {} : { firstAtMs, lastAtMs }),
    warnings,
    rows: alikeRows(sessions),
  };
}
