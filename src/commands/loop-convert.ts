import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { answer, list, oneOf, orNull, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const loopConvert: Command = {
  path: ["loop", "convert"],
  group: "Loops",
  brief: "A loop file as Markdown, or Markdown as YAML",
  details:
    "By the file's ending: .md and .markdown become YAML, anything else becomes Markdown. The result is in the 1.0 grammar and says what the file says, without defaults. Markdown has no place for comments.",
  args: [LOOP_FILE_ARG],
  flags: {
    out: { kind: "text", brief: "Write it to this file instead of standard output", placeholder: "FILE" },
    toYaml: { kind: "boolean", brief: "YAML, whatever the file is" },
  },
  output: answer("loop-convert", {
    file: text,
    form: oneOf("yaml", "markdown"),
    out: orNull(text),
    text,
    lines: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const { findLoop, firstProblem } = await import("./read-loop.ts");
  const { convertLoop } = await import("../formats/loop/index.ts");
  const found = await findLoop(context, input.args[0]);
  if (!found.ok) return found;
  const { path } = found.value;
  const converted = await convertLoop(found.value.text, path, flags.is("toYaml") ? "yaml" : undefined);
  if (!converted.ok) return { ok: false, problem: firstProblem(converted.problems) };
  const { text: result, form, hasLostComments } = converted.value;
  const out = flags.text("out");
  const written = out === undefined ? ok(undefined) : await context.files.write(out, result);
  if (!written.ok) return written;
  if (hasLostComments) context.talk("comments are left out: Markdown has no place for them");
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.loop-convert/1",
      ok: true,
      file: path,
      form,
      out: out ?? null,
      text: result,
      lines: out === undefined ? result.trimEnd().split("\n") : [`wrote ${out}`],
    },
  });
}
