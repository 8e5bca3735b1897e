import { sha256 } from "../core/hash.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { TimerSystem } from "../ports/timer-system.ts";
import {
  editCrontab,
  TIMER_KINDS,
  type TimerJob,
  type TimerKind,
  type TimerPlan,
  timerPlan,
} from "../triggers/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { openWatched } from "./loop-watch.ts";
import { answer, list, object, oneOf, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";
import type { Watched } from "./watch-loop.ts";

export const loopSchedule: Command = {
  path: ["loop", "schedule"],
  group: "Loops",
  brief: "Have the system look once a minute whether a loop is due",
  details:
    "Prints what would be put into the timer of this system and how; --install does it. Each look is `loop watch --once`, so time zones and missed times are as the file says.",
  args: [LOOP_FILE_ARG],
  flags: {
    install: { kind: "boolean", brief: "Put it into the system's timer" },
    remove: { kind: "boolean", brief: "Take it out again" },
    with: { kind: "choice", brief: "Instead of what this system has", choices: TIMER_KINDS },
  },
  output: answer("loop-schedule", {
    file: text,
    with: oneOf(...TIMER_KINDS),
    did: orNull(oneOf("install", "remove")),
    files: list(object({ path: text, text })),
    commands: list(list(text)),
    crontab: orNull(text),
    lines: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const did = flags.is("install") ? "install" : flags.is("remove") ? "remove" : undefined;
  if (flags.is("install") && flags.is("remove"))
    return fail("bad-flag", "give --install or --remove, not both");
  if (did !== undefined && context.insideAttempt)
    return fail("person-only", "an attempt cannot change the timers of this system");
  const watched = await openWatched(context, input);
  if (!watched.ok) return watched;
  if (watched.value.loop.triggers.triggers.every(({ on, isEnabled }) => !isEnabled || on.type === "webhook"))
    return fail("bad-input", "a look once a minute hears no webhook", {
      hint: "let `loopwright loop watch` run, for example as a service",
    });
  const system = await context.timers();
  const kind = TIMER_KINDS.find((one) => one === flags.text("with")) ?? kindOf(system);
  if (kind === undefined)
    return fail("command-not-found", "this system has neither systemctl nor crontab", {
      hint: "let `loopwright loop watch` run instead",
    });
  const job = jobOf(context, system, watched.value);
  const plan = timerPlan(kind, job, system);
  const done = did === undefined ? ok(undefined) : await change(context, system, plan, job, did);
  if (!done.ok) return done;
  return ok(output(watched.value.path, plan, did));
}

function kindOf({ platform, has }: TimerSystem): TimerKind | undefined {
  if (platform === "darwin") return "launchd";
  if (platform === "win32") return "task-scheduler";
  if (has("systemctl")) return "systemd";
  return has("crontab") ? "cron" : undefined;
}

function jobOf(context: CommandContext, system: TimerSystem, { path, loop, memoryFile }: Watched): TimerJob {
  const name = loop.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 40);
  const place = ["--cwd", context.cwd, "--home", context.home, "--quiet"];
  return {
    slug: `${name}-${sha256(memoryFile).slice(0, 8)}`,
    about: `Looks whether the loop "${loop.name}" is due`,
    argv: [...system.program, "loop", "watch", path, "--once", ...place],
    searchPath: system.searchPath,
  };
}

async function change(
  context: CommandContext,
  system: TimerSystem,
  plan: TimerPlan,
  { slug }: TimerJob,
  did: "install" | "remove",
): Promise<Result<void>> {
  if (plan.crontab !== undefined)
    return changeCrontab(system, slug, did === "install" ? plan.crontab : undefined);
  if (did === "remove") {
    // What is not there any more cannot be stopped, and is gone all the same.
    for (const words of plan.remove) await system.run(words);
    for (const { path } of plan.files) await system.removeFile(path);
    return ok(undefined);
  }
  for (const { path, text: content } of plan.files) {
    const written = await context.files.write(path, content);
    if (!written.ok) return written;
  }
  for (const words of plan.install) {
    const { exit, out } = await system.run(words);
    if (exit !== 0) return refused(words, out);
  }
  return ok(undefined);
}

async function changeCrontab(
  system: TimerSystem,
  slug: string,
  line: string | undefined,
): Promise<Result<void>> {
  // Without a crontab there is nothing to list, which is no failure.
  const { exit, out } = await system.run(["crontab", "-l"]);
  const before = exit === 0 ? out : "";
  const written = await system.run(["crontab", "-"], editCrontab(before, slug, line));
  return written.exit === 0 ? ok(undefined) : refused(["crontab", "-"], written.out);
}

function refused(words: readonly string[], out: string): Result<never> {
  const said = out.trim() === "" ? "" : `: ${out.trim()}`;
  return fail("spawn-failed", `${words.join(" ")} did not work${said}`, {
    hint: "do it by hand: without --install it is only printed",
  });
}

function output(file: string, plan: TimerPlan, did: "install" | "remove" | undefined): CommandOutput {
  const { kind, files, install, remove, crontab } = plan;
  const commands = did === "remove" ? remove : install;
  return {
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.loop-schedule/1",
      ok: true,
      file,
      with: kind,
      did: did ?? null,
      files: files.map((one) => ({ path: one.path, text: one.text })),
      commands,
      crontab: crontab ?? null,
      lines: [
        ...(did === undefined ? [] : [`${kind}: ${did === "install" ? "installed" : "removed"}`]),
        ...(did === undefined ? files.flatMap(({ path, text: content }) => [`# ${path}`, content]) : []),
        ...(did === undefined ? commands.map((words) => words.map(shown).join(" ")) : []),
        ...(did === undefined && crontab !== undefined ? ["# in your crontab (crontab -e)", crontab] : []),
      ],
    },
  };
}

function shown(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
