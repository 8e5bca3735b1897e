import type { AgentName } from "./call.ts";
import { byPlace, type DamageList, type LineDamage } from "./lines.ts";
import { type PackedSession, type PackedSummary, SESSION, unpackRows } from "./pack.ts";
import { AlikeRows } from "./spend.ts";
import type { UsageRow } from "./summary.ts";

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

/** Adds up what summaries say, so that none of them needs to be kept. The same for the same summaries in any order. */
export class TotalSums {
  readonly #agents = new Map<AgentName, AgentSums>();
  #damage: LineDamage[] = [];
  #moreDamage = 0;

  /** Packed, because making all of it what it was takes half of the time. */
  add({ agent, sessions, words, damaged }: PackedSummary): void {
    let own = this.#agents.get(agent);
    if (own === undefined) {
      own = new AgentSums();
      if (sessions.length > 0) this.#agents.set(agent, own);
    }
    for (const session of sessions) own.add(session, words);
    this.#moreDamage += damaged.more;
    if (damaged.lines.length > 0) this.#addDamage(damaged.lines);
  }

  totals(): LogTotals {
    const agents = [...this.#agents].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      agents: agents.map(([agent, sums]) => sums.totals(agent)),
      damaged: { lines: this.#damage, more: this.#moreDamage },
    };
  }

  #addDamage(lines: readonly LineDamage[]): void {
    const sorted = [...this.#damage, ...lines].sort(byPlace);
    this.#damage = sorted.slice(0, SHOWN_DAMAGE);
    this.#moreDamage += sorted.length - this.#damage.length;
  }
}

class AgentSums {
  readonly #subagents = new Set<string>();
  readonly #rows = new AlikeRows();
  #sessions = 0;
  #warnings = 0;
  #firstAtMs = Infinity;
  #lastAtMs = -Infinity;

  add(session: PackedSession, words: readonly string[]): void {
    this.#sessions += 1;
    this.#warnings += session[SESSION.warningCount];
    for (const row of unpackRows(session[SESSION.rows], words)) {
      if (row.subagent !== undefined) this.#subagents.add(`${session[SESSION.id]} ${row.subagent}`);
      this.#rows.add(row);
    }
    this.#see(session[SESSION.firstAtMs]);
    this.#see(session[SESSION.lastAtMs]);
  }

  #see(ms: number | null | undefined): void {
    if (ms === undefined || ms === null) return;
    this.#firstAtMs = Math.min(this.#firstAtMs, ms);
    this.#lastAtMs = Math.max(this.#lastAtMs, ms);
  }

  totals(agent: AgentName): AgentTotals {
    const [firstAtMs, lastAtMs] = [this.#firstAtMs, this.#lastAtMs];
    return {
      agent,
      sessions: this.#sessions,
      subagents: this.#subagents.size,
      ...(firstAtMs === Infinity ? {} : { firstAtMs, lastAtMs }),
      warnings: this.#warnings,
      rows: this.#rows.all(),
    };
  }
}
