import { fail, ok, type Result } from "../core/result.ts";
import type { LogEnvironment } from "../logs/environment.ts";
import { type ScanPorts, type SummaryScan, scanSummary } from "../logs/summary-scan.ts";
import { type FlagReader, wholePath } from "./flag-values.ts";
import type { LogAccess } from "./log-access.ts";
import type { CommandContext } from "./types.ts";

export const LOG_FLAGS = {
  prices: { kind: "text", brief: "Price table (TOML) to put in front of ours", placeholder: "FILE" },
  logs: {
    kind: "text",
    brief: "Read this file or folder instead of the agents' own places",
    placeholder: "PATH",
    repeatable: true,
  },
  noCache: { kind: "boolean", brief: "Read every log from the start" },
} as const;

export interface LogReading {
  readonly access: LogAccess;
  readonly env: LogEnvironment;
  readonly ports: ScanPorts;
  readonly scanned: SummaryScan;
}

/** All sessions of the agents' own places, or of the files and folders that were named; those are not remembered. */
export async function scanFor(
  context: CommandContext,
  flags: FlagReader,
  named: readonly string[] = flags.texts("logs"),
): Promise<Result<LogReading>> {
  const access = await context.logs();
  const only = named.map((path) => wholePath(context.cwd, path));
  const env = only.length === 0 ? access.env : { ...access.env, only };
  const ports = access.ports(only.length === 0 && !flags.is("noCache"));
  const scanned = await scanSummary(ports, env, context.now());
  const [problem] = scanned.problems;
  if (only.length > 0 && scanned.files === 0) {
    return fail("no-such-file", problem?.reason ?? `no agent's log at ${named.join(", ")}`, {
      ...(problem === undefined ? {} : { at: problem.path }),
      hint: "name a log file, or a folder that holds some",
    });
  }
  return ok({ access, env, ports, scanned });
}
