import { fail, ok, type Problem, type Result } from "../core/result.ts";
import { type LoopRead, parseLoop } from "../formats/loop/index.ts";
import type { CommandContext, CommandInput } from "./types.ts";

/** A loop file that was read: `problems` and `loop` exclude each other. */
export type LoopFile = { readonly path: string } & (
  | { readonly read: LoopRead }
  | { readonly problems: readonly Problem[] }
);

/**
 * The loop file that a command means: the one that is named, else ./loop.yaml, else the only file in
 * .loopwright/loops/. Problem: `no-such-file` with what there is.
 */
export async function readLoop(context: CommandContext, input: CommandInput): Promise<Result<LoopFile>> {
  const path = await pathOf(context, input.args[0]);
  if (!path.ok) return path;
  const text = await context.readText(path.value);
  if (!text.ok) return text;
  const parsed = await parseLoop(text.value, path.value);
  return ok({ path: path.value, ...(parsed.ok ? { read: parsed.value } : { problems: parsed.problems }) });
}

async function pathOf(context: CommandContext, named: string | undefined): Promise<Result<string>> {
  if (named !== undefined) return ok(named);
  const here = await context.listFiles(".");
  const own = ["loop.yaml", "loop.yml"].find((name) => here.includes(name));
  if (own !== undefined) return ok(own);
  const folder = ".loopwright/loops";
  const loops = (await context.listFiles(folder)).filter((name) => /\.ya?ml$/.test(name));
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

/** The first problem as the command's own; the rest stands in its hint's place of honour, one a line. */
export function firstProblem(problems: readonly Problem[]): Problem {
  const [first] = problems;
  if (first === undefined) return { code: "bad-input", message: "the loop cannot be read" };
  if (problems.length === 1) return first;
  return {
    ...first,
    hint: `${first.hint === undefined ? "" : `${first.hint}; `}${problems.length - 1} more: loopwright loop validate`,
  };
}
