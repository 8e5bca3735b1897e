import { fail, ok, type Result } from "../core/result.ts";
import { baseName } from "../verify/globs.ts";
import { ExitCode } from "./exit-codes.ts";
import { plainPath, readFlags } from "./flag-values.ts";
import { answer, list, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const loopNew: Command = {
  path: ["loop", "new"],
  group: "Loops",
  brief: "Write a loop file to begin with, or one that you have, into a folder",
  details:
    "One file and nothing else: what sessions do lies in the home, not beside it. A file that breaks a rule is not written.",
  args: [{ name: "folder", brief: "Where to; the current one by default", required: false }],
  flags: {
    path: { kind: "text", brief: "The same as the folder", placeholder: "DIR" },
    name: { kind: "text", brief: "Name of the loop (the folder's)", placeholder: "NAME" },
    purpose: { kind: "text", brief: "What it is for; becomes its goal", placeholder: "TEXT" },
    configFile: { kind: "text", brief: "Take this file; - is standard input", placeholder: "FILE" },
    markdown: { kind: "boolean", brief: "As Markdown instead of YAML" },
    force: { kind: "boolean", brief: "Replace a loop file that is there" },
  },
  output: answer("loop-new", { file: text, lines: list(text) }),
  run,
};

const DEFAULT_PURPOSE =
  "out/result.md says what this loop is for; write down here what shall be true in the end.";

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const folder = plainPath(context.cwd, input.args[0] ?? flags.text("path") ?? ".");
  if (folder === "/") return fail("bad-flag", "a loop does not live in the root of the file system");
  if ((await context.files.kind(folder)) === "file") return fail("bad-flag", `${folder} is a file`);
  const names = (await context.files.list(folder, "")).map(baseName);
  const there = names.find((name) => /^loop\.(ya?ml|md)$/.test(name));
  if (there !== undefined && !flags.is("force"))
    return fail("bad-flag", `there is a ${there} in ${folder}`, { hint: "add --force to replace it" });
  const content = await contentOf(context, input, baseName(folder));
  if (!content.ok) return content;
  const file = `${folder}/${flags.is("markdown") ? "loop.md" : "loop.yaml"}`;
  const written = await context.files.write(file, content.value);
  if (!written.ok) return written;
  const lines = [
    `wrote ${file}`,
    "next: put your own checks in, then",
    `  loopwright loop validate ${file}`,
    `  loopwright loop start ${file}`,
  ];
  return ok({ exit: ExitCode.ok, json: { schema: "loopwright.loop-new/1", ok: true, file, lines } });
}

async function contentOf(
  context: CommandContext,
  input: CommandInput,
  folder: string,
): Promise<Result<string>> {
  const flags = readFlags(input);
  const { convertLoop, parseLoop, starterLoop } = await import("../formats/loop/index.ts");
  const given = flags.text("configFile");
  const name = flags.text("name") ?? folder;
  const source =
    given === undefined
      ? ok(starterLoop({ name, purpose: flags.text("purpose") ?? DEFAULT_PURPOSE }))
      : await context.readText(given);
  if (!source.ok) return source;
  const path = given === undefined || given === "-" ? "loop.yaml" : given;
  const { errorsIn, firstProblem } = await import("./read-loop.ts");
  const errors = errorsIn(await parseLoop(source.value, path));
  // An author may bring a file that is not ready to start; one that is no loop is refused.
  if (errors.length > 0) return { ok: false, problem: firstProblem(errors) };
  const isMarkdown = /\.(md|markdown)$/i.test(path);
  if (flags.is("markdown") === isMarkdown) return source;
  const converted = await convertLoop(source.value, path, flags.is("markdown") ? undefined : "yaml");
  return converted.ok ? ok(converted.value.text) : { ok: false, problem: firstProblem(converted.problems) };
}
