import { fail, ok, type Result } from "../core/result.ts";
import type { LogEnvironment } from "../logs/environment.ts";
import type { ScanPorts, SummaryScan } from "../logs/summary-scan.ts";
import { scanTotals, type TotalsScan } from "../logs/totals-scan.ts";
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

/** Where the logs are looked for. */
export interface LogPlace {
  readonly access: LogAccess;
  readonly env: LogEnvironment;
  readonly ports: ScanPorts;
}

export interface LogReading extends LogPlace {
  readonly scanned: SummaryScan;
}

/** All sessions of the agents' own places, or of the files and folders that were named; those are not remembered. */
export async function scanFor(
  context: CommandContext,
  flags: FlagReader,
  named: readonly string[] = flags.texts("logs"),
): Promise<Result<LogReading>> {
  const place = await placeOf(context, flags, named);
  const { scanSummary } = await import("../logs/summary-scan.ts");
  const scanned = await scanSummary(place.ports, place.env, context.now());
  return foundIn(scanned, named) ?? ok({ ...place, scanned });
}

/** What all logs come to: the short way where nothing is new. */
export async function totalsFor(
  context: CommandContext,
  flags: FlagReader,
): Promise<Result<LogPlace & { readonly totals: TotalsScan }>> {
  const named = flags.texts("logs");
  const place = await placeOf(context, flags, named);
  const totals = await scanTotals(place.ports, place.env, context.now());
  return foundIn(totals, named) ?? ok({ ...place, totals });
}

async function placeOf(
  context: CommandContext,
  flags: FlagReader,
  named: readonly string[],
): Promise<LogPlace> {
  const access = await context.logs();
  const only = named.map((path) => wholePath(context.cwd, path));
  const env = only.length === 0 ? access.env : { ...access.env, only };
  return { access, env, ports: access.ports(only.length === 0 && !flags.is("noCache")) };
}

/** A failure where something was named and nothing is there. */
function foundIn(
  { files, problems }: Pick<SummaryScan, "files" | "problems">,
  named: readonly string[],
): Result<never> | undefined {
  if (named.length === 0 || files > 0) return undefined;
  const [problem] = problems;
  return fail("no-such-file", problem?.reason ?? `no agent's log at ${named.join(", ")}`, {
    ...(problem === undefined ? {} : { at: problem.path }),
    hint: "name a log file, or a folder that holds some",
  });
}
