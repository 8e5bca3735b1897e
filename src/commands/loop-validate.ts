import { ok, type Result } from "../core/result.ts";
import type { Finding, LoopRead, Severity } from "../formats/loop/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import type { UsedField } from "./loop-support.ts";
import { answer, flag, list, object, oneOf, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const ISSUE = object({
  severity: oneOf("error", "warning", "risk"),
  code: text,
  path: text,
  message: text,
  at: orNull(text),
  hint: orNull(text),
  risk: orNull(text),
  refuses_start: flag,
});
const FIELD = object({
  path: text,
  is: oneOf("told", "unused", "degraded", "refused"),
  why: text,
  at: orNull(text),
});

export const loopValidate: Command = {
  path: ["loop", "validate"],
  group: "Loops",
  brief: "Every problem of a loop file, with its line and what to do",
  details:
    "Errors and warnings are those of the grammar; risks are what a run would trip over. Fields that `loop start` does not act on yet are listed with the reason.",
  args: [LOOP_FILE_ARG],
  flags: { strict: { kind: "boolean", brief: "Warnings and risks count as errors" } },
  output: answer("loop-validate", {
    file: text,
    valid: flag,
    starts: flag,
    issues: list(ISSUE),
    fields: list(FIELD),
    lines: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { readLoop } = await import("./read-loop.ts");
  const { checkSupport, fieldsInUse } = await import("./loop-support.ts");
  const file = await readLoop(context, input);
  if (!file.ok) return file;
  const { path, read } = file.value;
  const errors = of(read, "error");
  const valid = readFlags(input).is("strict") ? read.findings.length === 0 : errors.length === 0;
  const { loop } = read;
  const fields = loop === undefined ? [] : fieldsInUse(read, loop);
  const starts = loop !== undefined && errors.length === 0 && checkSupport(read, loop) === undefined;
  return ok({
    exit: valid ? ExitCode.ok : ExitCode.userError,
    json: {
      schema: "loopwright.loop-validate/1",
      ok: true,
      file: path,
      valid,
      starts,
      issues: read.findings.map(({ severity, code, path, message, at, hint, risk }) => ({
        severity,
        code,
        path,
        message,
        at: at ?? null,
        hint: hint ?? null,
        risk: risk?.name ?? null,
        refuses_start: severity === "error" || risk?.isFatal === true,
      })),
      fields: fields.map(({ path, is, why, at }) => ({ path, is, why, at: at ?? null })),
      lines: [...issueLines(path, read), ...fieldLines(fields)],
    },
  });
}

function of(read: LoopRead, severity: Severity): readonly Finding[] {
  return read.findings.filter((finding) => finding.severity === severity);
}

function issueLines(path: string, read: LoopRead): readonly string[] {
  if (read.findings.length === 0) return [`ok: ${path} is valid`];
  const risks = of(read, "risk").length;
  const count = [
    `${of(read, "error").length} error(s), ${of(read, "warning").length} warning(s)`,
    ...(risks === 0 ? [] : [`${risks} risk(s)`]),
  ];
  return [...read.findings.flatMap(findingLines), "", count.join(", ")];
}

function findingLines({ severity, at, message, hint, risk }: Finding): readonly string[] {
  const said = risk?.isFatal === true ? `${message} (no run starts)` : message;
  const head = [severity.padEnd(7), ...(at === undefined ? [] : [at]), said].join("  ");
  return hint === undefined ? [head] : [head, `         try: ${hint}`];
}

const HEADINGS = {
  refused: "`loop start` refuses the file, because it cannot do this yet:",
  degraded: "done in a weaker way here:",
  told: "only told to the agents:",
  unused: "not acted on yet:",
} as const;

function fieldLines(fields: readonly UsedField[]): readonly string[] {
  return (["refused", "degraded", "told", "unused"] as const).flatMap((is) => {
    const wanted = fields.filter((field) => field.is === is);
    const firsts = wanted.filter(({ why }, at) => wanted.findIndex((other) => other.why === why) === at);
    const lines = firsts.map((first) => {
      const alike = wanted.filter(({ why }) => why === first.why).length;
      return fieldLine(first, alike - 1);
    });
    return lines.length === 0 ? [] : ["", HEADINGS[is], ...lines];
  });
}

function fieldLine({ at, path, why }: UsedField, more: number): string {
  const what = more === 0 ? path : `${path} and ${more} more`;
  return `  ${[...(at === undefined ? [] : [at]), `${what}: ${why}`].join("  ")}`;
}
