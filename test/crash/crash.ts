import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasDatabase, openStore } from "../../src/adapters/store-sqlite/index.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { must } from "../../src/core/result.ts";
import { type Finished, type Lab, openLab } from "../lab.ts";
import { type Found, inspect } from "./projection.ts";
import type { Scene } from "./scenes.ts";

const MOST_RESUMES = 8;

export interface Survived extends Found {
  readonly crashed: boolean;
  readonly resumes: number;
  readonly last: Finished;
}

/** A lab with the scene's files, in a repository whose owner can commit. */
export function openScene(scene: Scene): Lab {
  const lab = openLab(scene.files);
  lab.repo.git("config", "user.name", "Ada");
  lab.repo.git("config", "user.email", "ada@example.org");
  return lab;
}

export interface Calm extends Found {
  /** Names of the points at which it could have died, in order. */
  readonly points: readonly string[];
}

/** One run that nothing disturbs. */
export async function undisturbed(scene: Scene): Promise<Calm> {
  const lab = openScene(scene);
  try {
    const log = join(lab.outside, "points");
    const done = await lab.run(scene.command(lab), { LOOPWRIGHT_CRASH_LOG: log });
    if (done.exit !== 0) throw new Error(`${scene.name} failed undisturbed: ${done.stderr}${done.stdout}`);
    return { ...(await inspect(lab)), points: readFileSync(log, "utf8").trim().split("\n") };
  } finally {
    lab.dispose();
  }
}

/** A run that dies at one point (`name:n`), and its resumes, of which the first ones die at points of their own. */
export async function withCrashes(
  scene: Scene,
  first: string,
  later: readonly string[] = [],
): Promise<Survived> {
  const lab = openScene(scene);
  try {
    const command = scene.command(lab);
    const begun = await lab.run(command, { LOOPWRIGHT_CRASH_AT: first });
    return { crashed: begun.exit === null, ...(await finish(lab, command, begun, later)) };
  } finally {
    lab.dispose();
  }
}

/** Resumes until the session is closed, as a person would: the start again when it never came to a session. */
export async function finish(
  lab: Lab,
  command: readonly string[],
  begun?: Finished,
  crashes: readonly string[] = [],
): Promise<Omit<Survived, "crashed">> {
  let last = begun;
  let resumes = 0;
  while (last?.exit !== 0 && resumes < MOST_RESUMES) {
    const crash = crashes[resumes];
    const env: Record<string, string> = crash === undefined ? {} : { LOOPWRIGHT_CRASH_AT: crash };
    const resumed = await lab.run(["loop", "resume", "--json"], env);
    const nothing = resumed.exit === 2 && !(await hasSession(lab));
    last = nothing ? await lab.run(command) : resumed;
    resumes += 1;
    if (last.exit === 2) break;
  }
  if (last === undefined) throw new Error("nothing was resumed");
  return { ...(await inspect(lab)), resumes, last };
}

/** Whether the first event was written. */
export async function hasSession(lab: Lab): Promise<boolean> {
  if (!hasDatabase(lab.home)) return false;
  const opened = await openStore(lab.home, systemClock, { readOnly: true });
  if (!opened.ok) return false; // The file is there, and its tables are not yet.
  try {
    return must(await opened.value.store.sessions({})).length > 0;
  } finally {
    await opened.value.store.close();
  }
}
