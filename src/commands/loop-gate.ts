import { fail, ok, type Result } from "../core/result.ts";
import type { Loop, LoopCheck } from "../formats/loop/index.ts";
import { GATE_LEVELS } from "../ports/check-rooms.ts";
import type { Baseline } from "../verify/types.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { answer, flag, list, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";
import { LEVEL_FLAG } from "./workflow-flags.ts";

const OVERALL = "overall";

export const loopGate: Command = {
  path: ["loop", "gate"],
  group: "Loops",
  brief: "Judge a loop file's goals on your files as they are now, without a session",
  details:
    "Runs the checks of the file, no agent and no judge: a check for a judge is open. Nothing is written down, and no goal is reached by it; a session of its own judges its own work.",
  args: [LOOP_FILE_ARG],
  flags: {
    target: {
      kind: "text",
      brief: "A goal, or overall: every goal and every check of the whole (the default)",
      placeholder: "NAME",
    },
    level: LEVEL_FLAG,
  },
  output: answer("loop-gate", {
    loop: text,
    tree: text,
    level: text,
    target: text,
    satisfied: flag,
    targets: list(object({ target: text, satisfied: flag, passed: whole, failed: whole, reason: text })),
    checks: list(
      object({
        check: text,
        target: text,
        blocking: flag,
        verdict: oneOf("pass", "fail", "uncheckable", "open"),
        why: orNull(text),
        tail: orNull(text),
      }),
    ),
    lines: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const target = flags.text("target") ?? OVERALL;
  const { readDraftLoop } = await import("./read-loop.ts");
  const draft = await readDraftLoop(context, input);
  if (!draft.ok) return draft;
  const loop = draft.value;
  if (target !== OVERALL && !loop.goals.some(({ name }) => name === target)) {
    const names = [...loop.goals.map(({ name }) => name), OVERALL].join(", ");
    return fail("bad-flag", `--target ${target} is no goal of ${loop.name}`, { hint: `use one of ${names}` });
  }
  const { runnableCheck } = await import("./loop-rules.ts");
  const { judgeFolder } = await import("../run/judge-folder.ts");
  const ports = await context.engine();
  if (!ports.ok) return ports;
  const level = GATE_LEVELS.find((candidate) => candidate === flags.text("level"));
  const judged = await judgeFolder(ports.value, {
    dir: context.cwd,
    checks: loop.checks.flatMap(runnableCheck),
    ...(level !== undefined && { level }),
  });
  return judged.ok ? answerOf(loop, target, judged.value) : judged;
}

async function answerOf(loop: Loop, target: string, judged: Baseline): Promise<Result<CommandOutput>> {
  const { assessTargets } = await import("../verify/targets.ts");
  const assessed = assessTargets({
    checks: loop.checks,
    goals: loop.goals.map(({ name }) => name),
    verdicts: judged.checks,
    guard: false,
    changed: false,
  });
  const own = assessed.targets.find((one) => one.target === target);
  const satisfied = target === OVERALL ? assessed.satisfied : own?.satisfied === true;
  const checks = loop.checks.map((check) => viewOf(check, judged));
  const targets = assessed.targets.map((one) => ({
    target: one.target,
    satisfied: one.satisfied,
    passed: one.passed,
    failed: one.failed + one.uncheckable,
    reason: one.reason,
  }));
  const lines = [
    `${target}: ${satisfied ? "SATISFIED" : "NOT SATISFIED"} (judged ${judged.level}; nothing is written down)`,
    ...targets.map((one) => `  ${one.satisfied ? "yes" : "no "} ${one.target}: ${one.reason}`),
    "",
    ...checks.map(lineOf),
    ...judged.notes.map((note) => `note: ${note}`),
  ];
  return ok({
    exit: satisfied ? ExitCode.ok : ExitCode.notSatisfied,
    json: {
      schema: "loopwright.loop-gate/1",
      ok: true,
      loop: loop.name,
      tree: judged.tree,
      level: judged.level,
      target,
      satisfied,
      targets,
      checks,
      lines,
    },
  });
}

type CheckView = ReturnType<typeof viewOf>;

function viewOf({ name: check, target, blocking, detector }: LoopCheck, { checks }: Baseline) {
  const seen = checks.find((one) => one.check === check);
  const isOpen = detector.type === "judge";
  return {
    check,
    target,
    blocking,
    verdict: isOpen ? ("open" as const) : (seen?.verdict ?? "uncheckable"),
    why: isOpen ? "only a judge of a session can say" : (seen?.why ?? null),
    tail: seen?.tail ?? null,
  };
}

function lineOf({ check, target, blocking, verdict, why }: CheckView): string {
  const mark = verdict === "pass" ? "[pass]" : verdict === "fail" ? "[FAIL]" : `[${verdict}]`;
  const advisory = blocking ? "" : " (advisory)";
  return `${mark}${advisory} ${check} of ${target}${why === null ? "" : `: ${why}`}`;
}
