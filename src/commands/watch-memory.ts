import * as v from "valibot";
import type { JsonObject } from "../core/canonical-json.ts";
import { sha256 } from "../core/hash.ts";
import type { Result } from "../core/result.ts";
import type { Loop, LoopTrigger } from "../formats/loop/index.ts";
import type { Remembered, WatchHistory } from "../triggers/index.ts";
import type { CommandContext } from "./types.ts";

/** What a watcher of one loop file keeps between looks and between its own lives. */
export interface WatchMemory extends WatchHistory {
  /** By `triggerIds`. */
  readonly triggers: Readonly<Record<string, Remembered>>;
}

const time = v.pipe(v.number(), v.safeInteger());
const MEMORY = v.object({
  triggers: v.record(
    v.string(),
    v.object({
      lookedAt: time,
      slotAt: v.exactOptional(time),
      changedAt: v.exactOptional(time),
      wasSatisfied: v.exactOptional(v.boolean()),
    }),
  ),
  admitted: v.array(v.object({ key: v.string(), at: time })),
  lastRun: v.exactOptional(v.object({ startedAt: time, endedAt: v.exactOptional(time), depth: time })),
});

const NOTHING: WatchMemory = { triggers: {}, admitted: [] };

/** Memory that cannot be read is none: the next look takes note anew, and starts nothing. */
export async function readMemory(context: CommandContext, file: string): Promise<WatchMemory> {
  const text = await context.readText(file);
  if (!text.ok) return NOTHING;
  try {
    const parsed = v.safeParse(MEMORY, JSON.parse(text.value));
    return parsed.success ? parsed.output : NOTHING;
  } catch {
    return NOTHING;
  }
}

export function writeMemory(
  context: CommandContext,
  file: string,
  memory: WatchMemory,
): Promise<Result<void>> {
  const { triggers, admitted, lastRun } = memory;
  const plain = { triggers, admitted, ...(lastRun !== undefined && { lastRun }) };
  return context.files.write(file, `${JSON.stringify(plain, null, 2)}\n`);
}

/** One file for each loop of a folder, apart from the tree that agents work in. */
export function memoryFile(context: CommandContext, topLevel: string, loopFile: string): string {
  return `${context.home}/watch/${sha256(`${topLevel}\n${loopFile}`).slice(0, 16)}.json`;
}

/** A trigger is known by what it waits for, so that an edited file keeps what is still true. */
export function triggerIds({ triggers }: Loop["triggers"]): readonly (readonly [id: string, LoopTrigger])[] {
  const seen = new Map<string, number>();
  return triggers.map((trigger) => {
    const words = JSON.stringify({ ...trigger.on } satisfies JsonObject);
    const count = (seen.get(words) ?? 0) + 1;
    seen.set(words, count);
    return [`${words}#${count}`, trigger] as const;
  });
}
