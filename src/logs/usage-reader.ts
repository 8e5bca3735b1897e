import { addUsage, type TokenUsage } from "../core/tokens.ts";
import type { LogSource } from "../ports/log-source.ts";
import type { ModelUsage, UsageReport } from "../ports/provider.ts";
import type { UsageReader } from "../ports/usage.ts";
import { type AgentName, ALL_TIME, type Call, type SessionLog, type TimeWindow } from "./call.ts";
import type { LogEnvironment } from "./environment.ts";
import { optional, timeMs } from "./fields.ts";
import type { CallPrices } from "./prices/index.ts";
import { findClaudeSession, findCodexThread } from "./session-usage.ts";

/**
 * Reads what an agent session spent from the agent's own logs. With `prices` every part carries its cost, decided call
 * by call. Nothing logged in the time asked for is unknown, unless the log shows that the model API refused.
 */
export function createUsageReader(source: LogSource, env: LogEnvironment, prices?: CallPrices): UsageReader {
  return {
    async ofSession(request): Promise<UsageReport> {
      const window: TimeWindow = {
        fromMs: timeMs(request.from) ?? ALL_TIME.fromMs,
        toMs: timeMs(request.to) ?? ALL_TIME.toMs,
      };
      const where = request.home === undefined ? env : moved(env, request.agent, request.home);
      const found =
        request.agent === "codex"
          ? await findCodexThread(source, where, request.session)
          : await findClaudeSession(source, where, request.session, window);
      const [problem] = found.problems;
      if (problem !== undefined)
        return { kind: "unknown", why: `${problem.path} cannot be read: ${problem.reason}` };
      if (found.sessions.length === 0)
        return { kind: "unknown", why: `no log of session ${request.session}` };
      return report(found.sessions, window, prices);
    },
  };
}

function moved(env: LogEnvironment, agent: AgentName, home: string): LogEnvironment {
  const variable = agent === "codex" ? "CODEX_HOME" : "CLAUDE_CONFIG_DIR";
  return { ...env, variables: { ...env.variables, [variable]: home } };
}

function report(
  sessions: readonly SessionLog[],
  window: TimeWindow,
  prices: CallPrices | undefined,
): UsageReport {
  const calls = sessions
    .flatMap((session) => session.calls)
    .filter((call) => call.atMs >= window.fromMs && call.atMs <= window.toMs);
  const models = [...groups(calls)].map((group) => partOf(group, prices));
  for (const session of sessions) {
    const atMs = Math.min(session.lastAtMs ?? 0, window.toMs);
    for (const entry of session.unlogged ?? []) {
      models.push({ ...partOf([{ ...entry, atMs, isOutputIncomplete: false }], prices), isUnlogged: true });
    }
  }
  if (models.length === 0 && !sessions.some((session) => session.errors > 0)) {
    return { kind: "unknown", why: "the log shows no call in that time" };
  }
  return { kind: "known", provenance: "logged", models };
}

type PricedPart = Pick<Call, "model" | "usage" | "atMs" | "tier" | "webSearches" | "isOutputIncomplete">;

/** By model and tier, so that a tier without a price leaves the rest known. */
function groups(calls: readonly Call[]): Iterable<readonly Call[]> {
  const byKey = new Map<string, Call[]>();
  for (const call of calls) {
    const key = `${call.model}\n${call.tier ?? ""}`;
    const group = byKey.get(key);
    if (group === undefined) byKey.set(key, [call]);
    else group.push(call);
  }
  return byKey.values();
}

function partOf(parts: readonly PricedPart[], prices: CallPrices | undefined): ModelUsage {
  const searches = parts.reduce((sum, part) => sum + part.webSearches, 0);
  const [first] = parts;
  return {
    model: first?.model ?? "",
    usage: parts.reduce<TokenUsage>((sum, part) => addUsage(sum, part.usage), {}),
    ...optional("cost", prices?.priceCalls(parts, "logged")),
    ...optional("webSearchRequests", searches === 0 ? undefined : searches),
    ...optional("tier", first?.tier),
    ...optional("isLowerBound", parts.some((part) => part.isOutputIncomplete) ? true : undefined),
  };
}
