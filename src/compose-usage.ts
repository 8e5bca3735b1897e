import { logFiles } from "./adapters/log-files/index.ts";
import type { UsagePorts } from "./commands/types.ts";
import type { Process } from "./compose.ts";
import { instant } from "./core/time.ts";
import { createPrices, createUsageReader, loadCatalogue, type SessionLog, scanLogs } from "./logs/index.ts";

/** The agents' own logs on this machine, with the prices of what they say. */
export async function usageOf(process: Process, home: string): Promise<UsagePorts> {
  const env = { homeDir: process.env["HOME"] ?? home, variables: process.env };
  const prices = createPrices(undefined, await loadCatalogue());
  return {
    prices,
    reader: createUsageReader(logFiles(), env, prices),
    sessions: async () => {
      const { claudeCode, codex } = await scanLogs(logFiles(), env);
      return [
        ...claudeCode.sessions.flatMap((log) => known("claude-code", log)),
        ...codex.sessions.flatMap((log) => known("codex", log)),
      ].sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
    },
  };
}

type Known = Awaited<ReturnType<UsagePorts["sessions"]>>;

function known(harness: "claude-code" | "codex", log: SessionLog): Known {
  if (log.parent !== undefined || log.firstAtMs === undefined || log.lastAtMs === undefined) return [];
  return [
    {
      harness,
      session: log.id,
      ...(log.cwd !== undefined && { cwd: log.cwd }),
      models: [...new Set(log.calls.map(({ model }) => model))],
      startedAt: instant(log.firstAtMs),
      lastAt: instant(log.lastAtMs),
    },
  ];
}
