import { ok, type Result } from "../core/result.ts";
import { SECOND_MS } from "../core/time.ts";
import type { Loop, LoopTrigger } from "../formats/loop/index.ts";
import type { WebhookListener } from "../ports/webhook.ts";
import type { SessionState } from "../run/state.ts";
import { admit, due, type Facts, type Firing, nextLook, remembering } from "../triggers/index.ts";
import { loopStart } from "./loop-start.ts";
import type { CommandContext, CommandInput } from "./types.ts";
import { triggerIds, type WatchMemory, writeMemory } from "./watch-memory.ts";

export interface Watched {
  readonly path: string;
  readonly loop: Loop;
  readonly memoryFile: string;
  /** Of each run that is started. */
  readonly flags: CommandInput["flags"];
  /** Present while webhooks are listened for. */
  readonly hooks?: WebhookListener;
}

export interface WatchedRun {
  readonly keys: readonly string[];
  readonly depth: number;
  readonly session: string | null;
  readonly exit: number | null;
  readonly problem: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
}
export interface TurnedDown {
  readonly key: string;
  readonly why: "duplicate" | "too-deep";
}
export interface Look {
  readonly memory: WatchMemory;
  readonly runs: readonly WatchedRun[];
  readonly turnedDown: readonly TurnedDown[];
  readonly skipped: number;
}

/** What is due now is started, one run after the other. What was seen is kept first: a crash repeats nothing. */
export async function lookOnce(
  context: CommandContext,
  watched: Watched,
  before: WatchMemory,
  mostRuns: number,
): Promise<Result<Look>> {
  const { loop, memoryFile } = watched;
  const now = context.now();
  const facts = await gatherFacts(context, watched);
  const found = triggerIds(loop.triggers).map(([id, trigger]) => ({
    id,
    trigger,
    ...due(trigger, before.triggers[id], now, facts),
  }));
  let memory: WatchMemory = {
    ...before,
    triggers: Object.fromEntries(found.map(({ id, remembered }) => [id, remembered])),
  };
  const runs: WatchedRun[] = [];
  const turnedDown: TurnedDown[] = [];
  const saved = await writeMemory(context, memoryFile, memory);
  if (!saved.ok) return saved;
  for (const together of rounds(found)) {
    if (runs.length >= mostRuns) break;
    const keys: string[] = [];
    let depth = 0;
    for (const { trigger, firing } of together) {
      const admission = admit(trigger, firing, memory, loop.triggers, now);
      if (!admission.isAdmitted) {
        turnedDown.push({ key: admission.key, why: admission.why });
        continue;
      }
      keys.push(admission.key);
      depth = Math.max(depth, admission.depth);
      memory = { ...memory, admitted: remembering(memory, admission.key, loop.triggers.dedupWindowMs, now) };
    }
    if (keys.length === 0) continue;
    const kept = await writeMemory(context, memoryFile, memory);
    if (!kept.ok) return kept;
    const run = await startRun(context, watched, keys, depth);
    runs.push(run);
    memory = { ...memory, lastRun: { startedAt: run.startedAt, endedAt: run.endedAt, depth } };
    const noted = await writeMemory(context, memoryFile, memory);
    if (!noted.ok) return noted;
  }
  return ok({ memory, runs, turnedDown, skipped: found.reduce((sum, one) => sum + one.skipped, 0) });
}

interface Reason {
  readonly trigger: LoopTrigger;
  readonly firing: Firing;
}

/** Reasons of different triggers that come together are one run; several of one trigger are as many. */
function rounds(
  found: readonly { readonly trigger: LoopTrigger; readonly firings: readonly Firing[] }[],
): readonly (readonly Reason[])[] {
  const most = Math.max(0, ...found.map(({ firings }) => firings.length));
  return Array.from({ length: most }, (_, index) =>
    found.flatMap(({ trigger, firings }) => {
      const firing = firings[index];
      return firing === undefined ? [] : [{ trigger, firing }];
    }),
  );
}

async function startRun(
  context: CommandContext,
  { path, flags }: Watched,
  keys: readonly string[],
  depth: number,
): Promise<WatchedRun> {
  const startedAt = context.now();
  context.talk(`${new Date(startedAt).toISOString()} starting ${path}: ${keys.join(", ")}`);
  const inner = context.inFolder(context.cwd, context.home);
  try {
    const ran = await loopStart.run(inner, { flags, args: [path] });
    const session = ran.ok ? ran.value.json["session"] : undefined;
    return {
      keys,
      depth,
      session: typeof session === "string" ? session : null,
      exit: ran.ok ? ran.value.exit : null,
      problem: ran.ok ? null : ran.problem.message,
      startedAt,
      endedAt: context.now(),
    };
  } finally {
    await inner.close();
  }
}

/** Bookkeeping of loops and of git: what changes there is nobody's work. */
const UNWATCHED = [".git", ".loopwright", "state", "logs"];

async function gatherFacts(context: CommandContext, { loop, hooks }: Watched): Promise<Facts> {
  const changes = new Map<string, number>();
  const states = new Map<string, SessionState | undefined>();
  for (const { on } of loop.triggers.triggers) {
    if (on.type === "file_change" && !changes.has(on.path)) {
      changes.set(on.path, await context.files.changedAt(on.path, [...UNWATCHED, `${loop.name}-success`]));
    }
    if (on.type === "goal_satisfied") {
      const name = on.loop ?? loop.name;
      states.set(name, await newestSession(context, name));
    }
  }
  return {
    changedAt: (path) => changes.get(path) ?? 0,
    isSatisfied: (goal, other) => {
      const last = states.get(other ?? loop.name)?.gates.at(-1);
      return last?.result.targets.some(({ target, satisfied }) => target === goal && satisfied) ?? false;
    },
    callsOf: (name) => hooks?.take(name) ?? [],
  };
}

async function newestSession(context: CommandContext, title: string): Promise<SessionState | undefined> {
  const store = await context.readStore();
  if (!store.ok || store.value === undefined) return undefined;
  const found = await store.value.sessions({ limit: 200 });
  const newest = found.ok ? found.value.find((summary) => summary.title === title) : undefined;
  return newest === undefined ? undefined : (newest.projection as unknown as SessionState);
}

/** Sleeps until the next look; short naps, so that an interrupt is heard. False when there is none to come. */
export async function sleepUntilNextLook(
  context: CommandContext,
  { loop }: Watched,
  memory: WatchMemory,
  isOver: () => boolean,
): Promise<boolean> {
  const triggers = triggerIds(loop.triggers).map(([id, trigger]) => ({ trigger, last: memory.triggers[id] }));
  const next = nextLook(triggers, context.now());
  if (next === undefined) return false;
  while (!isOver() && context.now() < next) {
    await context.sleep(Math.min(SECOND_MS, next - context.now()));
  }
  return !isOver();
}
