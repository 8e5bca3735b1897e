import { ok, type Result } from "../core/result.ts";
import type { CheckRooms, GateLevel } from "../ports/check-rooms.ts";
import type { Clock } from "../ports/clock.ts";
import type { TreeId, Workspace } from "../ports/workspace.ts";
import type { VerdictCache } from "./check-cache.ts";
import type { TreeView } from "./detectors/types.ts";
import { inRooms } from "./in-rooms.ts";
import { type BaseFacts, baselineOf, baseTestsOf } from "./jobs.ts";
import { judgingTask } from "./judge-job.ts";
import type { Judged } from "./judged-tree.ts";
import type { CheckJob } from "./run-check.ts";
import type { CommandPorts } from "./run-command.ts";
import type { Baseline, CheckVerdict, FrozenGate } from "./types.ts";

export interface GatePorts extends CommandPorts {
  readonly rooms: CheckRooms;
  readonly clock: Clock;
  readonly cache?: VerdictCache;
  /** Platform and versions of the tools on PATH, part of what a cached verdict rests on. */
  readonly tools?: string;
}

export interface GateRequest {
  readonly workspace: Workspace;
  readonly workDir: string;
  readonly found: TreeId;
  readonly baseline: Baseline;
  readonly scratch: string;
  readonly approvedDependencyChange: boolean;
  /** Changed protected paths that a person has approved: they are judged as found. */
  readonly approvedPaths?: readonly string[];
  /** Rooms used at once where checks do not run in place. */
  readonly parallelRooms?: number;
}

export const PARALLEL_ROOMS = 2;

/** One evaluation: what was frozen, what was found, and what follows from both before anything runs. */
export interface Gate {
  readonly ports: GatePorts;
  readonly frozen: FrozenGate;
  readonly request: GateRequest;
  readonly facts: BaseFacts;
  readonly jobs: readonly CheckJob[];
  readonly judged: Judged;
  readonly needsApproval: readonly string[];
  readonly view: TreeView;
  readonly level: GateLevel;
}

export interface Ran {
  readonly verdicts: readonly CheckVerdict[];
  readonly keptEdits: readonly string[];
}

/** The verdicts of jobs on one tree, held against the base run. */
export async function judgeTree(
  gate: Gate,
  tree: TreeId,
  jobs: readonly CheckJob[],
  flakyRetries: number,
): Promise<Result<Ran>> {
  const { ports, frozen, request, level } = gate;
  const task = judgingTask(ports, {
    settings: { toolPath: frozen.toolPath, scratch: request.scratch },
    flakyRetries,
    context: (job) => {
      const before = baselineOf(job.check.name, request.baseline);
      const base = baseTestsOf(job, before, gate.facts);
      const ranBefore = before !== undefined && before.verdict !== "uncheckable";
      return { tree: request.found, judged: tree, level, ranBefore, ...(base === undefined ? {} : { base }) };
    },
  });
  const plan = {
    rooms: ports.rooms,
    parallel: request.parallelRooms ?? PARALLEL_ROOMS,
    request: {
      level,
      workspace: request.workspace,
      workDir: request.workDir,
      found: request.found,
      judged: tree,
      base: frozen.base,
      environment: frozen.environment,
      scratch: request.scratch,
      approvedDependencyChange: request.approvedDependencyChange,
    },
  };
  const outcome = await inRooms(plan, jobs, task);
  if (!outcome.ok) return outcome;
  return ok({
    verdicts: outcome.value.values.map((value) => value.verdict),
    keptEdits: outcome.value.keptEdits,
  });
}
