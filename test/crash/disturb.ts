import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Finished, Lab } from "../lab.ts";
import { finish, hasSession, type Survived } from "./crash.ts";
import type { Scene } from "./scenes.ts";

export interface Disturbed extends Omit<Survived, "crashed"> {
  readonly kills: number;
  readonly agentKills: number;
  /** What was done to it, in words. */
  readonly what: readonly string[];
}

interface Plan {
  readonly chance: () => number;
  readonly mostKills: number;
  readonly attemptMs: number;
}

/** What a session takes besides its attempts, on a busy machine. */
const OWN_MS = 2500;
/** How often the orphans get time before anybody looks after them. */
const LATE_PROB = 0.3;
/** Shorter attempts are over before they are seen. */
const LONG_ENOUGH_MS = 500;
const AT_WORK_PROB = 0.7;
const AGENT_ONLY_PROB = 0.2;
const LOOK_EVERY_MS = 100;

/** Runs a scene and kills, at moments and in ways of chance, now the coordinator and now only what it runs. */
export async function disturb(
  lab: Lab,
  scene: Scene,
  { chance, mostKills, attemptMs }: Plan,
): Promise<Disturbed> {
  const command = scene.command(lab);
  const what: string[] = [];
  let args = command;
  let agentKills = 0;
  let resumes = 0;
  let last: Finished | undefined;
  for (let kill = 0; kill < mostKills && last?.exit !== 0; kill += 1) {
    const { child, finished } = lab.start(args);
    const over = { isOver: false };
    void finished.then(() => {
      over.isOver = true;
    });
    const atWork = attemptMs >= LONG_ENOUGH_MS && chance() < AT_WORK_PROB;
    const onlyAgent = atWork && chance() < AGENT_ONLY_PROB;
    const momentMs = Math.round(chance() * (atWork ? attemptMs : OWN_MS));
    if (atWork) await untilAtWork(lab, over);
    await Promise.race([finished, delay(momentMs)]);
    const when = `${momentMs} ms ${atWork ? "into an attempt" : "after the start"}`;
    if (!over.isOver && onlyAgent) {
      const killed = killOne(attemptProcesses(lab), chance);
      if (killed !== undefined) what.push(`${killed} ${when}`);
      agentKills += killed === undefined ? 0 : 1;
    } else if (!over.isOver && child.kill("SIGKILL")) {
      what.push(`coordinator ${when}`);
    }
    last = await finished;
    if (last.exit !== null) break;
    if (chance() < LATE_PROB) await delay(attemptMs);
    args = (await hasSession(lab)) ? ["loop", "resume", "--json"] : command;
    resumes += 1;
  }
  if (last === undefined) throw new Error("nothing was run");
  const verified = await finish(lab, command, last);
  const ledger = await lab.run(["ledger", "verify", "--json"]);
  const faults = ledger.exit === 0 ? verified.faults : [...verified.faults, ledger.stdout];
  return { ...verified, faults, resumes: resumes + verified.resumes, kills: what.length, agentKills, what };
}

async function untilAtWork(lab: Lab, over: { readonly isOver: boolean }): Promise<void> {
  while (!over.isOver && attemptProcesses(lab).length === 0) await delay(LOOK_EVERY_MS);
}

/** Pids of what runs for attempts: wrapper, shell, agent and what the agent started. Checks do not count. */
function attemptProcesses(lab: Lab): readonly { readonly pid: number; readonly name: string }[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const environment = read(`/proc/${entry}/environ`);
    if (!environment.includes("LOOPWRIGHT_ATTEMPT=") || !environment.includes(lab.outside)) return [];
    return [{ pid: Number(entry), name: read(`/proc/${entry}/comm`).trim() }];
  });
}

function killOne(
  found: readonly { readonly pid: number; readonly name: string }[],
  chance: () => number,
): string | undefined {
  const one = found[Math.floor(chance() * found.length)];
  if (one === undefined) return undefined;
  try {
    process.kill(one.pid, "SIGKILL");
    return `agent's ${one.name}`;
  } catch {
    return undefined; // It ended between the look and the kill.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It ended between the listing and the look.
  }
}
