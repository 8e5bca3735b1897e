import type { Problem } from "../core/result.ts";
import type { Room } from "../ports/check-rooms.ts";
import type { RoomTask, RoomUse } from "./in-rooms.ts";
import { type JudgeContext, judgeRun } from "./judge-run.ts";
import { type CheckJob, type CheckRun, type RunSettings, runCheck } from "./run-check.ts";
import type { CommandPorts } from "./run-command.ts";
import type { CheckVerdict } from "./types.ts";

export interface JobResult {
  readonly job: CheckJob;
  readonly run: CheckRun;
  readonly verdict: CheckVerdict;
  /** Runs of the same tree did not agree. */
  readonly flaky: boolean;
}

export interface JobPlan {
  readonly settings: RunSettings;
  readonly flakyRetries: number;
  readonly context: (job: CheckJob) => JudgeContext;
  /** How a job is run once; the base run looks closer than later ones. */
  readonly runOnce?: (
    job: CheckJob,
    room: Room,
  ) => Promise<{ readonly job: CheckJob; readonly run: CheckRun }>;
}

/** Runs and judges jobs in rooms, a failing one again as often as flakiness is allowed for. */
export function judgingTask(ports: CommandPorts, plan: JobPlan): RoomTask<JobResult> {
  const runOnce =
    plan.runOnce ??
    (async (job: CheckJob, room: Room) => ({ job, run: await runCheck(ports, job, room, plan.settings) }));
  return {
    async run(job, room): Promise<RoomUse<JobResult>> {
      for (let attempt = 1; ; attempt += 1) {
        const done = await runOnce(job, room);
        const verdict = judgeRun(done.job, done.run, plan.context(done.job));
        const spoiled = done.run.kind !== "ran" || done.run.altered.length > 0;
        const again = verdict.verdict === "fail" && !spoiled && attempt <= plan.flakyRetries;
        if (again) continue;
        const flaky = attempt > 1 && verdict.verdict === "pass";
        return { value: { ...done, verdict: flaky ? asFlaky(verdict, attempt) : verdict, flaky }, spoiled };
      }
    },
    without: (job, problem) => withoutRoom(job, problem),
  };
}

function withoutRoom(job: CheckJob, problem: Problem): JobResult {
  const { name, blocking } = job.check;
  return {
    job,
    run: { kind: "problem", problem },
    verdict: { verdict: "uncheckable", check: name, blocking, problem },
    flaky: false,
  };
}

function asFlaky(verdict: Extract<CheckVerdict, { readonly verdict: "pass" }>, runs: number): CheckVerdict {
  const notes = [
    ...verdict.evidence.notes,
    `flaky: failed ${runs - 1} times on the same tree before it passed`,
  ];
  return { ...verdict, evidence: { ...verdict.evidence, flakyRuns: runs, notes } };
}
