import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Finished, Lab } from "../../lab.ts";

export interface Watched extends Finished {
  /** The most memory that the program itself ever held, in bytes. */
  readonly peakBytes: number;
}

/** Runs the program to its end and follows its memory. */
export async function watched(lab: Lab, args: readonly string[]): Promise<Watched> {
  const { child, finished } = lab.start(args);
  let isOver = false;
  let peakBytes = 0;
  const follow = async (): Promise<void> => {
    while (!isOver) {
      peakBytes = Math.max(peakBytes, peakOf(child.pid ?? 0));
      await delay(50);
    }
  };
  const following = follow();
  const done = await finished;
  isOver = true;
  await following;
  return { ...done, peakBytes };
}

function peakOf(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0; // It has ended.
  }
}

export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of the newest session, by type when one is named. */
export async function eventsOf(lab: Lab, type?: string): Promise<readonly StoredEvent[]> {
  const printed = await lab.run(["events", "--json"]);
  const lines = printed.stdout.split("\n").filter((line) => line !== "");
  const events = lines.map((line) => JSON.parse(line) as StoredEvent);
  return type === undefined ? events : events.filter((event) => event.type === type);
}

/** Waits until the newest session has an event of this type. */
export async function until(lab: Lab, type: string, timeoutMs = 30_000): Promise<StoredEvent> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = (await eventsOf(lab, type))[0];
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`no ${type} came`);
    await delay(100);
  }
}
