import { fail, InvariantError, ok, type Result } from "../core/result.ts";
import type { Store } from "../ports/store.ts";
import type { SessionState } from "../run/state.ts";
import { baseName } from "../verify/globs.ts";
import { ExitCode } from "./exit-codes.ts";
import { type FoundSession, findSession, SESSION_FLAG } from "./find-session.ts";
import { readFlags, wholePath } from "./flag-values.ts";
import { answer, list, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const loopExport: Command = {
  path: ["loop", "export"],
  group: "Loops",
  brief: "Write what is needed to reach again what a loop has reached",
  details:
    "A folder NAME-success with the loop file as it ran, a SKILL.md that says how to use it, and EVIDENCE.md with every verdict. Only for a session whose goals are reached still.",
  args: [],
  flags: {
    session: { ...SESSION_FLAG, brief: "This session instead of the newest one here" },
    out: { kind: "text", brief: "Into this folder instead", placeholder: "DIR" },
  },
  output: answer("loop-export", { session: text, folder: text, files: list(text), lines: list(text) }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const flags = readFlags(input);
  const opened = await context.readStore();
  if (!opened.ok) return opened;
  const named = flags.text("session");
  const wanted = named === undefined ? await newestSuccess(context, opened.value) : ok(named);
  if (!wanted.ok) return wanted;
  return exportSession(context, opened.value, wanted.value, flags.text("out"));
}

export async function exportSession(
  context: CommandContext,
  store: Store | undefined,
  named: string | undefined,
  out?: string,
): Promise<Result<CommandOutput>> {
  const found = await findSession(context, store, named, true);
  if (!found.ok) return found;
  if (store === undefined) throw new InvariantError("a session was found in no store");
  const { session } = found.value.summary;
  const exported = await filesOf(store, found.value);
  if (!exported.ok) return exported;
  const { files } = exported.value;
  const folder = wholePath(context.cwd, out ?? exported.value.folder);
  for (const [name, content] of Object.entries(files)) {
    const written = await context.files.write(`${folder}/${name}`, content);
    if (!written.ok) return written;
  }
  const names = Object.keys(files);
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.loop-export/1",
      ok: true,
      session,
      folder,
      files: names,
      lines: [`wrote ${names.join(", ")} to ${folder}`],
    },
  });
}

async function newestSuccess(
  context: CommandContext,
  store: Store | undefined,
): Promise<Result<string | undefined>> {
  const topLevel = await context.topLevel();
  if (!topLevel.ok) return topLevel;
  const here = (await store?.sessions({ topLevel: topLevel.value, limit: 100 })) ?? ok([]);
  if (!here.ok) return here;
  const success = here.value.find(({ outcome, projection }) => {
    return outcome === "succeeded" && (projection as unknown as SessionState).spec.source !== undefined;
  });
  return ok(success?.session);
}

interface Exported {
  readonly folder: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Problems: `not-satisfied`, and `bad-input` for a session that no loop file began. */
async function filesOf(store: Store, { summary, state }: FoundSession): Promise<Result<Exported>> {
  const { session } = summary;
  if (state.outcome !== "succeeded" || state.verdictNow !== "satisfied")
    return fail("not-satisfied", `the goals of session ${summary.number} are not reached`, {
      hint: "see `loopwright status --why`",
    });
  const { source } = state.spec;
  const kept = source === undefined ? ok(undefined) : await store.blob(source.digest);
  if (!kept.ok) return kept;
  if (source === undefined || kept.value === undefined)
    return fail("bad-input", `session ${summary.number} was not begun by a loop file`);
  const { readChain } = await import("../run/take.ts");
  const { fold } = await import("../run/fold.ts");
  const { nameOf, successFiles } = await import("../run/success-text.ts");
  const chain = await readChain({ store }, session);
  if (!chain.ok) return chain;
  const whole = fold(chain.value) ?? state;
  const loopFile = { name: baseName(source.path), text: new TextDecoder().decode(kept.value) };
  return ok({ folder: `${nameOf(whole.spec.title)}-success`, files: successFiles(session, whole, loopFile) });
}
