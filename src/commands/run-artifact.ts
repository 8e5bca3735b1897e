import { fail, ok, type Result } from "../core/result.ts";
import { instant } from "../core/time.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { answer, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const runArtifact: Command = {
  path: ["run", "artifact"],
  group: "Record",
  brief: "Record what an attempt wrote: a diff, a plan, a commit; prints its id",
  args: [],
  flags: {
    run: { kind: "text", brief: "The run", placeholder: "RUN" },
    kind: { kind: "text", brief: "What it is: diff, plan, review, commit, merge ...", placeholder: "KIND" },
    path: { kind: "text", brief: "Where it is; for a commit its hash", placeholder: "PATH" },
    by: { kind: "text", brief: "The attempt that wrote it", placeholder: "ATT" },
    readBy: {
      kind: "text",
      brief: "An attempt that read it; repeatable",
      placeholder: "ATT",
      repeatable: true,
    },
    supersedes: {
      kind: "text",
      brief: "The artifact that it replaces (the last of its kind)",
      placeholder: "ART",
    },
  },
  output: answer("run-artifact", { run: text, artifact: text, version: whole }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { changeRun, whileOpen, withArtifact } = await import("../record/index.ts");
  const flags = readFlags(input);
  const [run, kind, path, by] = ["run", "kind", "path", "by"].map((name) => flags.text(name));
  if (run === undefined || kind === undefined || path === undefined || by === undefined)
    return fail("bad-flag", "name --run, --kind, --path and --by");
  const store = await context.writeStore();
  if (!store.ok) return store;
  const supersedes = flags.text("supersedes");
  let added = { id: "", version: 1 };
  const done = await changeRun(store.value, run, (document) => {
    const open = whileOpen(document);
    if (!open.ok) return open;
    const made = withArtifact(document, {
      kind,
      path,
      by,
      readBy: flags.texts("readBy"),
      at: instant(context.now()),
      ...(supersedes !== undefined && { supersedes }),
    });
    if (made.ok) added = made.value;
    return made.ok ? ok(made.value.document) : made;
  });
  if (!done.ok) return done;
  return ok({
    exit: ExitCode.ok,
    json: { schema: "loopwright.run-artifact/1", ok: true, run, artifact: added.id, version: added.version },
  });
}
