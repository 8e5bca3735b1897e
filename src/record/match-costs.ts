import { addCost, type Cost, NO_COST } from "../core/money.ts";
import type { Instant } from "../core/time.ts";
import { TOKEN_CLASSES, type TokenUsage } from "../core/tokens.ts";
import type { OcpAttempt, OcpDocument } from "../formats/ocp/index.ts";
import type { ModelUsage, UsageReport } from "../ports/provider.ts";
import type { Prices } from "../ports/usage.ts";
import { costOf } from "./costs.ts";
import { type FoundCost, matchExt } from "./finish-run.ts";

/** What can be asked about agents' sessions. */
export interface SessionLogs {
  spendOf(request: {
    readonly agent: "claude-code" | "codex";
    readonly session: string;
    readonly cwd: string;
    readonly from?: string;
    readonly to?: string;
  }): Promise<UsageReport>;
  readonly prices: Prices;
  /** All sessions; asked for only when an attempt names none. */
  sessions(): Promise<readonly SessionSeen[]>;
}
export interface SessionSeen {
  readonly harness: "claude-code" | "codex";
  readonly session: string;
  readonly cwd?: string;
  readonly models: readonly string[];
  readonly startedAt: Instant;
  readonly lastAt: Instant;
}

export interface Matched {
  readonly costs: ReadonlyMap<string, FoundCost>;
  readonly verified: number;
  readonly heuristic: number;
  readonly unmatched: readonly { readonly attempt: string; readonly reason: string }[];
  readonly shared: readonly { readonly session: string; readonly attempts: readonly string[] }[];
}

interface Link {
  readonly attempt: OcpAttempt;
  readonly agent: "claude-code" | "codex";
  readonly session: string;
  readonly tier: "verified" | "heuristic";
}

/**
 * Finds what each attempt of a run spent in the agents' logs: by the session that it names, else by harness, folder and
 * time when exactly one session fits. Attempts that used one session at the same time share its spend in equal parts.
 */
export async function matchCosts(document: OcpDocument, logs: SessionLogs, now: Instant): Promise<Matched> {
  const unmatched: { readonly attempt: string; readonly reason: string }[] = [];
  const links: Link[] = [];
  for (const attempt of document.attempts ?? []) {
    if (attempt.cost !== undefined || attempt.harness === "command") continue;
    const link = await linkOf(attempt, logs, now);
    if (typeof link === "string") unmatched.push({ attempt: attempt.id, reason: link });
    else links.push(link);
  }
  const costs = new Map<string, FoundCost>();
  const groups = sharing(links, now);
  for (const group of groups) {
    const report = await spendOfGroup(group, logs, now);
    for (const [index, link] of group.entries()) {
      if (report.kind === "unknown") unmatched.push({ attempt: link.attempt.id, reason: report.why });
      else costs.set(link.attempt.id, foundCost(link, report, group, index, logs.prices));
    }
  }
  const found = links.filter(({ attempt }) => costs.has(attempt.id));
  return {
    costs,
    verified: found.filter(({ tier }) => tier === "verified").length,
    heuristic: found.filter(({ tier }) => tier === "heuristic").length,
    unmatched,
    shared: groups
      .filter((group) => group.length > 1)
      .map((group) => ({
        session: group[0]?.session ?? "",
        attempts: group.map(({ attempt }) => attempt.id),
      })),
  };
}

/** The session of an attempt, or why none is known. */
async function linkOf(attempt: OcpAttempt, logs: SessionLogs, now: Instant): Promise<Link | string> {
  const { harness: agent, session, cwd } = attempt;
  if (agent !== "claude-code" && agent !== "codex")
    return agent === undefined ? "it names no harness" : `the logs of ${agent} are not known`;
  if (session !== undefined) return { attempt, agent, session, tier: "verified" };
  if (cwd === undefined) return "it names neither session nor folder";
  const [from, to] = windowOf(attempt, now);
  const fits = (await logs.sessions()).filter(
    (seen) => seen.harness === agent && seen.cwd === cwd && seen.startedAt <= to && seen.lastAt >= from,
  );
  const [only, ...others] = ofModel(fits, attempt);
  if (only === undefined) return `no session of ${agent} in ${cwd} at that time`;
  if (others.length > 0) return `${fits.length} sessions of ${agent} in ${cwd} at that time`;
  return { attempt, agent, session: only.session, tier: "heuristic" };
}

/** Where several sessions fit, those that used the model which the attempt names. */
function ofModel(fits: readonly SessionSeen[], { model }: OcpAttempt): readonly SessionSeen[] {
  const named = model?.raw ?? model?.id;
  if (fits.length < 2 || named === undefined) return fits;
  const own = fits.filter(({ models }) => models.includes(named));
  return own.length === 0 ? fits : own;
}

function windowOf(attempt: OcpAttempt, now: Instant): readonly [from: Instant, to: Instant] {
  return [attempt.started_at ?? "", attempt.ended_at ?? now];
}

/** Attempts of one session whose times overlap, so that its log cannot be cut between them. */
function sharing(links: readonly Link[], now: Instant): readonly (readonly Link[])[] {
  const groups: Link[][] = [];
  for (const link of [...links].sort((a, b) => compare(startOf(a), startOf(b)))) {
    const group = groups.find(
      (one) =>
        one[0]?.session === link.session &&
        one.some(({ attempt }) => Date.parse(windowOf(attempt, now)[1]) > Date.parse(startOf(link))),
    );
    if (group === undefined) groups.push([link]);
    else group.push(link);
  }
  return groups;
}

function startOf({ attempt }: Link): string {
  return attempt.started_at ?? "";
}
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function spendOfGroup(group: readonly Link[], logs: SessionLogs, now: Instant): Promise<UsageReport> {
  const [first] = group;
  if (first === undefined) return { kind: "unknown", why: "no attempt" };
  const windows = group.map(({ attempt }) => windowOf(attempt, now));
  const from = windows.map(([start]) => start).sort()[0];
  const to = windows
    .map(([, end]) => end)
    .sort()
    .at(-1);
  return logs.spendOf({
    agent: first.agent,
    session: first.session,
    cwd: first.attempt.cwd ?? "",
    ...(from !== undefined && from !== "" && { from }),
    ...(to !== undefined && { to }),
  });
}

function foundCost(
  link: Link,
  report: Extract<UsageReport, { readonly kind: "known" }>,
  group: readonly Link[],
  index: number,
  prices: Prices,
): FoundCost {
  const at = link.attempt.started_at ?? "";
  const models = report.models.map((one) => {
    const cost = one.cost ?? prices.price(one.model, one.usage, at, "logged");
    return {
      model: one.model,
      usage: shareOfUsage(one, group.length, index),
      cost: shareOfCost(cost, group.length, index),
    };
  });
  const isSplit = group.length > 1 || link.tier === "heuristic";
  const cost = costOf({
    spend: { kind: "known", provenance: report.provenance, models, isSplit, tariff: prices.table },
  });
  const shared = group.map(({ attempt }) => attempt.id);
  const [main] = models;
  return {
    ...(cost !== undefined && { cost: { ...cost, ext: { ...cost.ext, ...matchExt(link.tier, shared) } } }),
    session: link.session,
    ...(main !== undefined && { model: main.model }),
  };
}

/** Parts of a whole number that differ by one at most and add up to it. */
function part(total: number, of: number, index: number): number {
  return Math.floor(total / of) + (index < total % of ? 1 : 0);
}

function shareOfCost(cost: Cost, of: number, index: number): Cost {
  return cost.kind === "unknown" ? cost : { ...cost, microUsd: part(cost.microUsd, of, index) };
}

function shareOfUsage({ usage }: ModelUsage, of: number, index: number): TokenUsage {
  const keys = [...TOKEN_CLASSES, "reasoningTokens", "requests"] as const;
  const share: { -readonly [K in keyof TokenUsage]: TokenUsage[K] } = {};
  for (const key of keys) {
    const count = usage[key];
    if (count !== undefined) share[key] = part(count, of, index);
  }
  return share;
}

/** What a finished run cost: `usd` only when every attempt is priced. */
export function runCost(document: OcpDocument): {
  readonly usd: number | null;
  readonly usdKnown: number;
  readonly tokens: number | null;
  readonly notCosted: number;
} {
  const agents = (document.attempts ?? []).filter(({ harness }) => harness !== "command");
  const sum = agents.reduce(
    (at, { cost }) =>
      cost?.usd === undefined
        ? addCost(at, { kind: "unknown", why: "no-usage" })
        : addCost(at, { kind: "known", microUsd: Math.round(cost.usd * 1e6), basis: "logged" }),
    NO_COST,
  );
  const counted = agents.map(({ cost }) => tokensOf(cost)).filter((count) => count !== undefined);
  return {
    usd: sum.unknownParts === 0 ? sum.microUsd / 1e6 : null,
    usdKnown: sum.microUsd / 1e6,
    tokens: counted.length === agents.length && agents.length > 0 ? counted.reduce((a, b) => a + b, 0) : null,
    notCosted: sum.unknownParts,
  };
}

/** Reasoning is inside output and is not added again. */
function tokensOf(cost: OcpAttempt["cost"]): number | undefined {
  const counts = [
    cost?.input_tokens,
    cost?.cached_input_tokens,
    cost?.cache_creation_tokens ?? sumOf(cost?.cache_creation_5m_tokens, cost?.cache_creation_1h_tokens),
    cost?.output_tokens,
  ].filter((count) => count !== undefined);
  return counts.length === 0 ? undefined : counts.reduce((a, b) => a + b, 0);
}

function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
