import { SECOND_MS } from "../../../core/time.ts";
import type { Findings } from "../findings.ts";
import type { LoopPaths } from "../grammar.ts";
import type { AlertMetric } from "../policy-types.ts";
import { candidatesOf, isDriven } from "../routing.ts";
import type { Loop, LoopProvider } from "../types.ts";

const STOP = "safety.gates.stop";
const NAME = "limit-that-cannot-fire";

/** Limits and alarms that something else always comes before, or that nothing can measure. */
export function findLimitRisks(loop: Loop, { pieceLimitsPath }: LoopPaths, findings: Findings): void {
  findOutrun(loop, findings);
  findUnmeasured(loop, findings);
  findPieceLimits(loop, pieceLimitsPath, findings);
  findAlerts(loop, findings);
}

/** Only of limits that the file states itself: a default is nobody's wish. */
function findOutrun({ stop }: Loop, findings: Findings): void {
  const rounds = [
    ["no_progress_iterations", stop.noProgressIterations],
    ["max_revisions_per_node", stop.maxRevisionsPerPiece],
  ] as const;
  for (const [key, value] of rounds) {
    const path = `${STOP}.${key}`;
    if (!findings.isWritten(path) || value < stop.maxIterations || value === 0) continue;
    const message = `the loop ends after ${stop.maxIterations} iterations, before ${value} can be reached`;
    findings.risk(NAME, path, message, "use less than max_iterations");
  }
}

function findUnmeasured(loop: Loop, findings: Findings): void {
  const used = new Set(loop.pieces.flatMap((piece) => candidatesOf(loop, piece)));
  const without = (knows: (provider: LoopProvider) => boolean) =>
    [...used].filter((provider) => !knows(provider)).map(({ id }) => id);
  const unpriced = without((one) => isDriven(one) || one.usdPer1kTokens !== undefined);
  if (loop.stop.maxCostMicroUsd !== undefined && unpriced.length > 0) {
    findings.risk(
      NAME,
      `${STOP}.max_cost_usd`,
      `what ${unpriced.join(", ")} costs is not known, so the ceiling cannot see it`,
      "add cost_per_1k_tokens; claude_code and codex report it when args hold no {prompt}",
    );
  }
  const uncounted = without((one) => isDriven(one) || one.usageRegex !== undefined);
  if (loop.stop.maxTokens !== undefined && uncounted.length > 0) {
    findings.risk(
      NAME,
      `${STOP}.max_tokens`,
      `how many tokens ${uncounted.join(", ")} uses is not known, so the ceiling cannot see them`,
      "add a usage_regex; claude_code and codex report it when args hold no {prompt}",
    );
  }
}

function findPieceLimits({ stop, limits, pieceLimits }: Loop, piecesPath: string, findings: Findings): void {
  const all = [
    ["safety.limits.global", limits],
    ...[...pieceLimits].map(([id, own]) => [`${piecesPath}.${id}`, own] as const),
  ] as const;
  for (const [path, { maxMs, maxTokens }] of all) {
    if (maxMs !== undefined && stop.maxWallClockMs !== undefined && maxMs > stop.maxWallClockMs) {
      const message = `the loop ends after ${stop.maxWallClockMs / SECOND_MS} s, before a piece reaches this`;
      findings.risk(NAME, `${path}.max_seconds`, message, "use less than max_wall_clock_seconds");
    }
    if (maxTokens !== undefined && stop.maxTokens !== undefined && maxTokens > stop.maxTokens) {
      const message = `the loop ends at ${stop.maxTokens} tokens, before a piece reaches this`;
      findings.risk(NAME, `${path}.max_tokens`, message, "use less than the loop's max_tokens");
    }
  }
}

function findAlerts({ alerts, stop }: Loop, findings: Findings): void {
  const ends: Partial<Record<AlertMetric, number | undefined>> = {
    iterations: stop.maxIterations,
    tokens_used: stop.maxTokens,
    cost_usd: stop.maxCostMicroUsd === undefined ? undefined : stop.maxCostMicroUsd / 1e6,
    wall_clock_seconds: stop.maxWallClockMs === undefined ? undefined : stop.maxWallClockMs / SECOND_MS,
    stale_iterations: stop.noProgressIterations === 0 ? undefined : stop.noProgressIterations,
  };
  for (const [index, { metric, above }] of alerts.entries()) {
    const end = ends[metric];
    if (above === undefined || end === undefined || above < end) continue;
    const path = `safety.alerts[${index}].above`;
    findings.risk(NAME, path, `the loop ends at ${end}, before the alert`, `use less than ${end}`);
  }
}
