import type { Findings } from "../findings.ts";
import type { LoopPaths } from "../grammar.ts";
import type { Loop } from "../types.ts";
import { findCheckRisks } from "./checks.ts";
import { findCoverageRisks } from "./coverage.ts";
import { findDeadlocks } from "./deadlocks.ts";
import { findJudgeRisks } from "./judges.ts";
import { findLimitRisks } from "./limits.ts";
import { findProviderRisks } from "./providers.ts";
import { findTriggerRisks } from "./triggers.ts";

/** What the grammar has nothing against and a run would trip over. Rules may be broken, values may not be missing. */
export function findRisks(loop: Loop, paths: LoopPaths, findings: Findings): void {
  findDeadlocks(loop, paths, findings);
  findCoverageRisks(loop, findings);
  findCheckRisks(loop, findings);
  findJudgeRisks(loop, findings);
  findLimitRisks(loop, paths, findings);
  findProviderRisks(loop, paths, findings);
  findTriggerRisks(loop, findings);
}
