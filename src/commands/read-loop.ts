import { fail, ok, type Problem, type Result } from "../core/result.ts";
import { type Loop, type LoopRead, parseLoop } from "../formats/loop/index.ts";
import type { CommandContext, CommandInput } from "./types.ts";

export interface LoopFile {
  readonly path: string;
  readonly text: string;
  readonly read: LoopRead;
}

/**
 * The loop file that a command means: the one that is named, else ./loop.yaml or loop.md, else the only file in
 * .loopwright/loops/. Problem: `no-such-file` with what there is.
 */
export async function findLoop(
  context: CommandContext,
  named: string | undefined,
): Promise<Result<{ readonly path: string; readonly text: string }>> {
  const path = await pathOf(context, named);
  if (!path.ok) return path;
  const text = await context.readText(path.value);
  return text.ok ? ok({ path: path.value, text: text.value }) : text;
}

export async function readLoop(context: CommandContext, input: CommandInput): Promise<Result<LoopFile>> {
  const found = await findLoop(context, input.args[0]);
  if (!found.ok) return found;
  const { path, text } = found.value;
  return ok({ path, text, read: await parseLoop(text, path) });
}

/** The loop of a file that breaks no rule. */
export async function readValidLoop(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<LoopFile & { readonly loop: Loop }>> {
  const file = await readLoop(context, input);
  if (!file.ok) return file;
  const { path, text, read } = file.value;
  const errors = errorsIn(read);
  if (read.loop === undefined || errors.length > 0) return { ok: false, problem: firstProblem(errors) };
  return ok({ path, text, read, loop: read.loop });
}

/** The loop of a file that may not be ready to start: what spends nothing takes that too. */
export async function readDraftLoop(context: CommandContext, input: CommandInput): Promise<Result<Loop>> {
  const file = await readLoop(context, input);
  if (!file.ok) return file;
  const { read } = file.value;
  return read.loop === undefined ? { ok: false, problem: firstProblem(errorsIn(read)) } : ok(read.loop);
}

export function errorsIn({ findings }: LoopRead): LoopRead["findings"] {
  return findings.filter(({ severity }) => severity === "error");
}

async function pathOf(context: CommandContext, named: string | undefined): Promise<Result<string>> {
  if (named !== undefined) return ok(named);
  const here = await context.listFiles(".");
  const own = ["loop.yaml", "loop.yml", "loop.md"].find((name) => here.includes(name));
  if (own !== undefined) return ok(own);
  const folder = ".loopwright/loops";
  const loops = (await context.listFiles(folder)).filter((name) => /\.(ya?ml|md|markdown)$/i.test(name));
  const [only] = loops;
  if (only !== undefined && loops.length === 1) return ok(`${folder}/${only}`);
  return loops.length === 0
    ? fail("no-such-file", "there is no loop.yaml here", {
        hint: "name the file: loopwright loop start FILE",
      })
    : fail("no-such-file", `there are ${loops.length} loops in ${folder}: ${loops.join(", ")}`, {
        hint: "name one of them",
      });
}

/** The first as the command's own problem; its hint counts the rest. */
export function firstProblem(problems: readonly Problem[]): Problem {
  const [first, ...more] = problems;
  if (first === undefined) return { code: "bad-input", message: "the loop cannot be read" };
  const { code, message, at } = first;
  const hints = [
    ...(first.hint === undefined ? [] : [first.hint]),
    ...(more.length === 0 ? [] : [`${more.length} more: loopwright loop validate`]),
  ];
  return {
    code,
    message,
    ...(at !== undefined && { at }),
    ...(hints.length > 0 && { hint: hints.join("; ") }),
  };
}
