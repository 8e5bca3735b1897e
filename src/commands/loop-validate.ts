import type { JsonObject } from "../core/canonical-json.ts";
import { ok, type Problem, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { answer, flag, list, object, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const ISSUE = object({ severity: text, code: text, message: text, at: orNull(text), hint: orNull(text) });

export const loopValidate: Command = {
  path: ["loop", "validate"],
  group: "Loops",
  brief: "Every problem of a loop file, with its line and what to do",
  args: [{ name: "file", brief: "The loop file; ./loop.yaml by default", required: false }],
  flags: { strict: { kind: "boolean", brief: "Warnings count as problems" } },
  output: answer("loop-validate", { file: text, valid: flag, issues: list(ISSUE), lines: list(text) }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { readLoop } = await import("./read-loop.ts");
  const file = await readLoop(context, input);
  if (!file.ok) return file;
  const errors = "problems" in file.value ? file.value.problems : [];
  const warnings = "read" in file.value ? file.value.read.warnings : [];
  const strict = readFlags(input).is("strict");
  const valid = errors.length === 0 && !(strict && warnings.length > 0);
  const issues = [
    ...errors.map((problem) => issue("error", problem)),
    ...warnings.map((problem) => issue("warning", problem)),
  ];
  const count = `${errors.length} error(s), ${warnings.length} warning(s)`;
  const lines =
    issues.length === 0 ? [`ok: ${file.value.path} is valid`] : [...issues.flatMap(issueLines), "", count];
  return ok({
    exit: valid ? ExitCode.ok : ExitCode.userError,
    json: { schema: "loopwright.loop-validate/1", ok: true, file: file.value.path, valid, issues, lines },
  });
}

function issue(severity: "error" | "warning", problem: Problem): JsonObject {
  const { code, message, at, hint } = problem;
  return { severity, code, message, at: at ?? null, hint: hint ?? null };
}

function issueLines(found: JsonObject): string[] {
  const head = `${String(found["severity"]).padEnd(7)}  ${found["at"] === null ? "" : `${String(found["at"])}  `}${String(found["message"])}`;
  return found["hint"] === null ? [head] : [head, `         try: ${String(found["hint"])}`];
}
