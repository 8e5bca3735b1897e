import { canonicalJson, type Json } from "../core/canonical-json.ts";
import { type Digest, sha256 } from "../core/hash.ts";
import type { GateLevel } from "../ports/check-rooms.ts";
import type { TreeId } from "../ports/workspace.ts";
import type { BaseTests } from "./compare-tests.ts";
import { VOID } from "./judge-run.ts";
import type { CheckJob } from "./run-check.ts";
import type { CheckVerdict, FrozenGate } from "./types.ts";

/** Verdicts by everything that they rest on. Kept by us, where no agent writes. */
export interface VerdictCache {
  get(key: Digest): Promise<CheckVerdict | undefined>;
  put(key: Digest, verdict: CheckVerdict): Promise<void>;
}

export interface CacheKeyParts {
  readonly job: CheckJob;
  readonly frozen: FrozenGate;
  readonly judged: TreeId;
  readonly level: GateLevel;
  readonly base: BaseTests | undefined;
  readonly approvedDependencyChange: boolean;
  /** Platform and versions of the tools that checks find on PATH. */
  readonly tools: string;
}

/**
 * The key of a verdict, or undefined when it must not be cached: a check that measures something is run each time.
 * What `setup` makes follows from the judged tree and the frozen environment, so its hash is inside.
 */
export function verdictKey(parts: CacheKeyParts): Digest | undefined {
  if (parts.job.wantedMetrics.length > 0) return undefined;
  const { check, resolved, exitCodeOnly } = parts.job;
  const rests: unknown = {
    check,
    resolved: resolved.text,
    exitCodeOnly,
    judged: parts.judged,
    protection: parts.frozen.protection,
    environment: parts.frozen.environment,
    toolPath: parts.frozen.toolPath,
    level: parts.level,
    base: parts.base ?? null,
    approved: parts.approvedDependencyChange,
    tools: parts.tools,
  };
  return digestOf(rests);
}

/** The hash of a plain value. Members that are undefined are left out. */
export function digestOf(value: unknown): Digest {
  const plain: Json = JSON.parse(JSON.stringify(value));
  return sha256(canonicalJson(plain));
}

/** Only answers of a whole run are worth keeping: not a time-out, not a void verdict, not an obstacle. */
export function isCacheable(verdict: CheckVerdict): boolean {
  if (verdict.verdict === "pass") return verdict.evidence.flakyRuns === undefined;
  return (
    verdict.verdict === "fail" && verdict.evidence.exitCode !== undefined && !verdict.why.startsWith(VOID)
  );
}
