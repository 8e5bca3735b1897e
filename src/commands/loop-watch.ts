import { fail, ok, type Result } from "../core/result.ts";
import type { LoopTrigger } from "../formats/loop/index.ts";
import type { WebhookListener } from "../ports/webhook.ts";
import { isWatchable, nextDue } from "../triggers/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { answer, flag, list, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";
import type { Look, Watched, WatchedRun } from "./watch-loop.ts";
import type { WatchMemory } from "./watch-memory.ts";

const TRIGGER = object({ waits_for: text, enabled: flag, missed: text, next: orNull(text) });
const RUN = object({
  keys: list(text),
  depth: whole,
  session: orNull(text),
  exit: orNull(whole),
  problem: orNull(text),
  started_at: text,
  ended_at: text,
});

export const loopWatch: Command = {
  path: ["loop", "watch"],
  group: "Loops",
  brief: "Start a loop whenever one of its triggers is due",
  details:
    "What was seen is kept, so a watcher that is started again goes on where the last one ended; the first look ever only takes note. With --once a timer of the system can do the waiting.",
  args: [LOOP_FILE_ARG],
  flags: {
    check: { kind: "boolean", brief: "Only show the triggers and when they are due next" },
    once: { kind: "boolean", brief: "Look once, run what is due, and end" },
    port: {
      kind: "count",
      atLeast: 1,
      brief: "Listen for webhooks on this port of this machine",
      placeholder: "N",
    },
    export: { kind: "boolean", brief: "On each success write what `loop export` writes" },
    maxRuns: { kind: "count", atLeast: 1, brief: "End after so many runs", placeholder: "N" },
  },
  output: answer("loop-watch", {
    file: text,
    triggers: list(TRIGGER),
    runs: list(RUN),
    turned_down: list(object({ key: text, why: oneOf("duplicate", "too-deep") })),
    skipped: whole,
    lines: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const opened = await openWatched(context, input);
  if (!opened.ok) return opened;
  let watched = opened.value;
  const { readMemory } = await import("./watch-memory.ts");
  if (flags.is("check"))
    return ok(output(context, watched, await readMemory(context, watched.memoryFile), []));
  const { lockWatch } = await import("./watch-lock.ts");
  const release = await lockWatch(context, watched.memoryFile);
  if (!release.ok) return release;
  const { lookOnce, sleepUntilNextLook } = await import("./watch-loop.ts");
  let isOver = false;
  const unhook = context.onInterrupt(() => {
    isOver = true;
  });
  const hooks = await listenFor(context, watched, flags.is("once"), flags.count("port"));
  if (!hooks.ok) {
    unhook();
    await release.value();
    return hooks;
  }
  if (hooks.value !== undefined) watched = { ...watched, hooks: hooks.value };
  const looks: Look[] = [];
  let seen = await readMemory(context, watched.memoryFile);
  let left = flags.count("maxRuns") ?? Number.POSITIVE_INFINITY;
  try {
    do {
      const look = await lookOnce(context, watched, seen, left);
      if (!look.ok) return look;
      seen = look.value.memory;
      left -= look.value.runs.length;
      looks.push({ ...look.value });
    } while (
      !flags.is("once") &&
      left > 0 &&
      (await sleepUntilNextLook(context, watched, seen, () => isOver))
    );
  } finally {
    unhook();
    await hooks.value?.close();
    await release.value();
  }
  return ok(output(context, watched, seen, looks));
}

/** A look that ends at once can hear nobody. */
async function listenFor(
  context: CommandContext,
  { loop }: Watched,
  isOnce: boolean,
  port: number | undefined,
): Promise<Result<WebhookListener | undefined>> {
  const names = loop.triggers.triggers.flatMap(({ on, isEnabled }) =>
    isEnabled && on.type === "webhook" ? [on.name] : [],
  );
  if (names.length === 0 || isOnce) return ok(undefined);
  const token =
    context.env["LOOPWRIGHT_HOOK_TOKEN"] ?? Buffer.from(context.entropy(24)).toString("base64url");
  const opened = await context.listen({ names, port: port ?? 0, token });
  if (!opened.ok) return opened;
  const shown = context.env["LOOPWRIGHT_HOOK_TOKEN"] === undefined ? token : "<LOOPWRIGHT_HOOK_TOKEN>";
  for (const name of names)
    context.talk(`POST http://127.0.0.1:${opened.value.port}/hooks/${name}  Authorization: Bearer ${shown}`);
  return opened;
}

export async function openWatched(context: CommandContext, input: CommandInput): Promise<Result<Watched>> {
  const { readValidLoop } = await import("./read-loop.ts");
  const { checkSupport } = await import("./loop-support.ts");
  const { memoryFile } = await import("./watch-memory.ts");
  const file = await readValidLoop(context, input);
  if (!file.ok) return file;
  const { path, read, loop } = file.value;
  const refused = checkSupport(read, loop);
  if (refused !== undefined) return { ok: false, problem: refused };
  const { triggers } = loop.triggers;
  if (!isWatchable(triggers)) {
    return fail("bad-input", `${path} has no trigger that could start it`, {
      hint: "add one under execution.triggers, or start it yourself: loopwright loop start",
    });
  }
  const top = await context.topLevel();
  if (!top.ok) return top;
  const flags = readFlags(input).is("export") ? { export: true } : {};
  return ok({ path, loop, memoryFile: memoryFile(context, top.value, path), flags });
}

function output(
  context: CommandContext,
  { path, loop }: Watched,
  memory: WatchMemory,
  looks: readonly Look[],
): CommandOutput {
  const now = context.now();
  const remembered = Object.entries(memory.triggers);
  const triggers = loop.triggers.triggers.map((trigger) => {
    const id = JSON.stringify(trigger.on);
    const last = remembered.find(([known]) => known.startsWith(id))?.[1];
    const next = nextDue(trigger, last, now);
    return {
      waits_for: wordsOf(trigger),
      enabled: trigger.isEnabled,
      missed: trigger.missed,
      next: next === undefined ? null : new Date(next).toISOString(),
    };
  });
  const runs = looks.flatMap((look) => look.runs);
  return {
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.loop-watch/1",
      ok: true,
      file: path,
      triggers,
      runs: runs.map((one) => ({
        keys: one.keys,
        depth: one.depth,
        session: one.session,
        exit: one.exit,
        problem: one.problem,
        started_at: new Date(one.startedAt).toISOString(),
        ended_at: new Date(one.endedAt).toISOString(),
      })),
      turned_down: looks.flatMap((look) => look.turnedDown.map(({ key, why }) => ({ key, why }))),
      skipped: looks.reduce((sum, look) => sum + look.skipped, 0),
      lines: [
        ...triggers.map(({ waits_for, enabled, next }) =>
          [waits_for, ...(enabled ? [] : ["(off)"]), ...(next === null ? [] : [`next ${next}`])].join("  "),
        ),
        ...runs.map(runLine),
      ],
    },
  };
}

function runLine({ keys, session, exit, problem }: WatchedRun): string {
  return `ran ${session ?? "nothing"} for ${keys.join(", ")}: ${problem ?? `exit ${exit}`}`;
}

function wordsOf({ on }: LoopTrigger): string {
  switch (on.type) {
    case "cron":
      return `cron ${on.expr} (${on.timezone})`;
    case "interval":
      return `every ${on.intervalMs / 1000} s`;
    case "file_change":
      return `changes of ${on.path}`;
    case "goal_satisfied":
      return `the goal ${on.goal}${on.loop === undefined ? "" : ` of ${on.loop}`}`;
    case "webhook":
      return `the webhook ${on.name}`;
    case "manual":
      return "a person";
  }
}
