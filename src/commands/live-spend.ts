import type { JsonObject } from "../core/canonical-json.ts";
import { instant } from "../core/time.ts";
import { totalTokens } from "../core/tokens.ts";
import { scanSummary } from "../logs/summary-scan.ts";
import type { ModelUsage, UsageReader } from "../ports/usage.ts";
import type { SessionState } from "../run/state.ts";
import { minutesTo, PACE_MS, paceBetween, type SpendReading } from "./spend-pace.ts";
import type { CommandContext } from "./types.ts";

/** An attempt that is running, with the agent's own session. */
export interface RunningWork {
  readonly agent: "claude-code" | "codex";
  readonly session: string;
  readonly cwd: string;
  readonly startedAt: string;
}

export interface SpendLimit {
  readonly name: "ceiling" | "budget";
  /** Before what the running attempts spend. */
  readonly leftMicroUsd: number;
}

/** Spend of running attempts so far and a minute, and when the limit is reached at this pace. */
export async function liveSpend(
  work: readonly RunningWork[],
  unknown: number,
  reader: UsageReader,
  limit: SpendLimit | undefined,
  nowMs: number,
): Promise<JsonObject> {
  const at = async (toMs: number): Promise<SpendReading> => {
    const readings = await Promise.all(work.map((one) => readingOf(one, reader, toMs)));
    return readings.reduce(
      (sum, one) => ({
        atMs: toMs,
        tokens: sum.tokens + one.tokens,
        microUsd:
          sum.microUsd === undefined || one.microUsd === undefined ? undefined : sum.microUsd + one.microUsd,
      }),
      { atMs: toMs, tokens: 0, microUsd: 0 },
    );
  };
  const start = Math.min(...work.map(({ startedAt }) => Date.parse(startedAt)), nowMs);
  const [before, now] = [await at(Math.max(start, nowMs - PACE_MS)), await at(nowMs)];
  const pace = paceBetween(before, now);
  const left =
    limit === undefined || now.microUsd === undefined ? undefined : limit.leftMicroUsd - now.microUsd;
  return {
    tokens: now.tokens,
    cost_usd: dollars(now.microUsd),
    tokens_per_minute: pace.tokensPerMinute,
    usd_per_minute: dollars(pace.microUsdPerMinute),
    limit: limit?.name ?? null,
    left_usd: dollars(left),
    minutes_left: minutesTo(left, pace) ?? null,
    unknown_attempts: unknown,
  };
}

async function readingOf(work: RunningWork, reader: UsageReader, toMs: number): Promise<SpendReading> {
  const { agent, session, cwd, startedAt } = work;
  const report = await reader.ofSession({ agent, session, cwd, from: startedAt, to: instant(toMs) });
  // A log without a call in that time: nothing was spent yet.
  const models: readonly ModelUsage[] = report.kind === "known" ? report.models : [];
  return {
    atMs: toMs,
    tokens: models.reduce((sum, { usage }) => sum + (totalTokens(usage) ?? 0), 0),
    microUsd: models.reduce<number | undefined>((sum, { cost }) => {
      return sum === undefined || cost?.kind !== "known" ? undefined : sum + cost.microUsd;
    }, 0),
  };
}

function dollars(microUsd: number | undefined): number | null {
  return microUsd === undefined ? null : microUsd / 1e6;
}

/** Which agents' sessions the running attempts are, and how many cannot be told. */
export async function runningWork(
  context: CommandContext,
  state: SessionState,
): Promise<{ readonly work: readonly RunningWork[]; readonly unknown: number }> {
  const work: RunningWork[] = [];
  let unknown = 0;
  for (const { phase, provider, agentSession, workDir, startedAt } of state.attempts) {
    if (phase === "ended" || startedAt === undefined) continue;
    const kind = state.spec.providers.find(({ id }) => id === provider)?.kind;
    const isKnown = kind === "claude-code" || kind === "codex";
    const session = isKnown
      ? (agentSession ?? (await sessionIn(context, kind, workDir, startedAt)))
      : undefined;
    if (isKnown && session !== undefined) work.push({ agent: kind, session, cwd: workDir, startedAt });
    else unknown += 1;
  }
  return { work, unknown };
}

/** Codex names its session itself: the only one that began in this folder since. */
async function sessionIn(
  context: CommandContext,
  agent: string,
  cwd: string,
  startedAt: string,
): Promise<string | undefined> {
  const access = await context.logs();
  const { sessions } = await scanSummary(access.ports(true), access.env, context.now());
  const fits = sessions.filter(
    (session) =>
      session.agent === agent &&
      session.cwd === cwd &&
      session.parent === undefined &&
      (session.firstAtMs ?? 0) >= Date.parse(startedAt),
  );
  return fits.length === 1 ? fits[0]?.id : undefined;
}
