import { logFiles } from "./adapters/log-files/index.ts";
import type { UsagePorts } from "./commands/types.ts";
import type { Process } from "./compose.ts";
import { logAccess } from "./compose-logs.ts";
import { pricesOf } from "./compose-prices.ts";
import { ok, type Result } from "./core/result.ts";
import { instant } from "./core/time.ts";
import { createUsageReader } from "./logs/index.ts";
import type { SessionSummary } from "./logs/summary.ts";
import { scanSummary } from "./logs/summary-scan.ts";

/** The agents' own logs on this machine, with the prices of what they say. */
export async function usageOf(process: Process, home: string): Promise<Result<UsagePorts>> {
  const env = { homeDir: process.env["HOME"] ?? home, variables: process.env };
  const prices = await pricesOf(home);
  if (!prices.ok) return prices;
  return ok({
    prices: prices.value,
    reader: createUsageReader(logFiles(), env, prices.value),
    sessions: async () => {
      // With the memory of earlier scans: asking who was active costs what is new, not a year of logs.
      const access = logAccess({ home, cwd: process.cwd, env: process.env });
      const { sessions } = await scanSummary(access.ports(true), access.env, Date.now());
      return sessions.flatMap(known).sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
    },
  });
}

type Known = Awaited<ReturnType<UsagePorts["sessions"]>>;

function known({ agent, id, parent, cwd, rows, firstAtMs, lastAtMs }: SessionSummary): Known {
  if (agent !== "claude-code" && agent !== "codex") return [];
  if (parent !== undefined || firstAtMs === undefined || lastAtMs === undefined) return [];
  const calls = rows.filter((row) => !row.isUnlogged);
  return [
    {
      harness: agent,
      session: id,
      ...(cwd !== undefined && { cwd }),
      models: [...new Set(calls.map(({ model }) => model))],
      startedAt: instant(firstAtMs),
      lastAt: instant(lastAtMs),
    },
  ];
}
