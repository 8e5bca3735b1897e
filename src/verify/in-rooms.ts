import { ok, type Problem, type Result } from "../core/result.ts";
import type { CheckRooms, GateLevel, Room, RoomRequest } from "../ports/check-rooms.ts";
import type { CheckJob } from "./run-check.ts";

export interface RoomPlan {
  readonly rooms: CheckRooms;
  readonly request: Omit<RoomRequest, "instance">;
  /** Rooms used at once. In place there is always one. */
  readonly parallel: number;
}

/** What a room is used for, and whether the room can be used again. */
export interface RoomUse<T> {
  readonly value: T;
  readonly spoiled: boolean;
}

export interface RoomTask<T> {
  run(job: CheckJob, room: Room): Promise<RoomUse<T>>;
  /** The value of a job whose room cannot be had. */
  without(job: CheckJob, problem: Problem): T;
}

export interface RoomsOutcome<T> {
  /** One per job, in the order of the jobs. */
  readonly values: readonly T[];
  /** Edits of the user made while checks ran in place. */
  readonly keptEdits: readonly string[];
}

/**
 * Runs jobs in rooms: job i in room i modulo the number of rooms, one after another in each, so that the same checks
 * always share a room. A spoiled room is left and made anew. A room that cannot be left is a problem of the whole.
 */
export async function inRooms<T>(
  plan: RoomPlan,
  jobs: readonly CheckJob[],
  task: RoomTask<T>,
): Promise<Result<RoomsOutcome<T>>> {
  const lanes = laneCount(plan.request.level, plan.parallel, jobs.length);
  const outcomes = await Promise.all(
    Array.from({ length: lanes }, (_none, lane) =>
      runLane(
        plan,
        lane,
        jobs.filter((_job, index) => index % lanes === lane),
        task,
      ),
    ),
  );
  const values: T[] = [];
  const keptEdits: string[] = [];
  for (const [lane, outcome] of outcomes.entries()) {
    if (!outcome.ok) return outcome;
    keptEdits.push(...outcome.value.keptEdits);
    for (const [index, value] of outcome.value.values.entries()) values[index * lanes + lane] = value;
  }
  return ok({ values, keptEdits });
}

function laneCount(level: GateLevel, parallel: number, jobs: number): number {
  return level === "in-place" ? Math.min(1, jobs) : Math.min(Math.max(1, parallel), jobs);
}

async function runLane<T>(
  plan: RoomPlan,
  lane: number,
  jobs: readonly CheckJob[],
  task: RoomTask<T>,
): Promise<Result<RoomsOutcome<T>>> {
  const values: T[] = [];
  const keptEdits: string[] = [];
  let room: Room | undefined;
  try {
    for (const job of jobs) {
      if (room === undefined) {
        const opened = await plan.rooms.open({ ...plan.request, instance: lane });
        if (!opened.ok) {
          values.push(task.without(job, opened.problem));
          continue;
        }
        room = opened.value;
      }
      const use: RoomUse<T> = await task.run(job, room);
      values.push(use.value);
      if (!use.spoiled) continue;
      const left = room;
      room = undefined;
      const edits = await left.dispose();
      if (!edits.ok) return edits;
      keptEdits.push(...edits.value);
    }
  } catch (error) {
    await room?.dispose();
    throw error;
  }
  const edits = await room?.dispose();
  if (edits === undefined) return ok({ values, keptEdits });
  return edits.ok ? ok({ values, keptEdits: [...keptEdits, ...edits.value] }) : edits;
}
