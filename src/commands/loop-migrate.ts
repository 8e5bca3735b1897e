import { fail, ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { answer, flag, list, object, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const MOVE = object({ from: text, to: text, at: text, dropped: flag });

export const loopMigrate: Command = {
  path: ["loop", "migrate"],
  group: "Loops",
  brief: "A loop file of the 0.3 grammar in the 1.0 grammar",
  details:
    "Prints the result; nothing is written without --write. Comments are kept. Done twice it changes nothing.",
  args: [LOOP_FILE_ARG],
  flags: {
    check: { kind: "boolean", brief: "Only say what would move; exit 1 when something would" },
    write: { kind: "boolean", brief: "Replace the file" },
  },
  output: answer("loop-migrate", {
    file: text,
    moves: list(MOVE),
    written: flag,
    text,
    lines: list(text),
  }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  if (flags.is("check") && flags.is("write")) return fail("bad-flag", "use --check or --write, not both");
  const { findLoop, firstProblem } = await import("./read-loop.ts");
  const { migrateLoop } = await import("../formats/loop/index.ts");
  const found = await findLoop(context, input.args[0]);
  if (!found.ok) return found;
  const { path } = found.value;
  const migrated = await migrateLoop(found.value.text, path);
  if (!migrated.ok) return { ok: false, problem: firstProblem(migrated.problems) };
  const { moves, text: result } = migrated.value;
  const said = moves.map(
    ({ from, to, at, isDropped }) =>
      `${at}  ${isDropped ? `${from} is left out: ${to} is written too` : `${from} is now ${to}`}`,
  );
  const isWritten = flags.is("write") && moves.length > 0;
  const wrote = isWritten ? await context.files.write(path, result) : ok(undefined);
  if (!wrote.ok) return wrote;
  const isPrinted = !flags.is("check") && !flags.is("write");
  if (isPrinted) for (const line of said) context.talk(line);
  const report = moves.length === 0 ? [`${path} is in the 1.0 grammar`] : said;
  return ok({
    exit: flags.is("check") && moves.length > 0 ? ExitCode.userError : ExitCode.ok,
    json: {
      schema: "loopwright.loop-migrate/1",
      ok: true,
      file: path,
      moves: moves.map(({ from, to, at, isDropped }) => ({ from, to, at, dropped: isDropped })),
      written: isWritten,
      text: result,
      lines: isPrinted ? result.trimEnd().split("\n") : [...report, ...(isWritten ? [`wrote ${path}`] : [])],
    },
  });
}
