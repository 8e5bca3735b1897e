import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Problem, type Result } from "../core/result.ts";
import type { Store } from "../ports/store.ts";
import { documentFiles } from "./document-files.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { exitOf } from "./problem-exit.ts";
import { answer, flag, list, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const FILE = object({
  file: text,
  ok: flag,
  run: orNull(text),
  did: orNull(text),
  state: orNull(text),
  outcome: orNull(text),
  migrated_from: orNull(text),
  "problem?": object({ code: text, message: text, "hint?": text, "at?": text }),
});

export const runImport: Command = {
  path: ["run", "import"],
  group: "Record",
  brief: "Store run documents that other tools wrote",
  details:
    "Each stands alone: one that is refused does not stop the rest. The same document again changes nothing and keeps outcomes that were added since.",
  args: [{ name: "path", brief: "Files, or folders of *.ocp.json", required: true, variadic: true }],
  flags: {
    finish: { kind: "boolean", brief: "Close runs that their documents leave open" },
    replace: { kind: "boolean", brief: "Take other content under a known id; later outcomes are kept" },
    noFit: { kind: "boolean", brief: "Leave the learner alone until the next fit" },
    brief: { kind: "boolean", brief: "Counts and the first failures only" },
  },
  output: answer("run-import", {
    imported: whole,
    new: whole,
    unchanged: whole,
    replaced: whole,
    failed: whole,
    open: whole,
    next: orNull(text),
    files: list(FILE),
    more_failures: whole,
  }),
  run,
};

/** As many transactions share a sync as are asked for together. */
const TOGETHER = 200;
const SHOWN_FAILURES = 10;

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  if (input.args.length === 0) return fail("bad-flag", "name a run document or a folder of them");
  const { paths, missing } = await documentFiles(context, input.args);
  if (paths.length === 0 && missing.length === 0)
    return fail("no-such-file", `no *.ocp.json in ${input.args.join(", ")}`);
  const store = paths.length === 0 ? undefined : await context.writeStore();
  if (store?.ok === false) return store;
  const rows: JsonObject[] = missing.map((path) =>
    failed(path, { code: "no-such-file", message: `there is no ${path}` }),
  );
  for (let at = 0; store !== undefined && at < paths.length; at += TOGETHER) {
    const batch = paths.slice(at, at + TOGETHER);
    rows.push(...(await Promise.all(batch.map((path) => importOne(context, store.value, path, input)))));
  }
  return ok(outputOf(rows, readFlags(input).is("brief")));
}

async function importOne(
  context: CommandContext,
  store: Store,
  path: string,
  input: CommandInput,
): Promise<JsonObject> {
  const { importRun, MAX_DOCUMENT_BYTES, readForeign } = await import("../record/index.ts");
  const bytes = await context.files.read(path, MAX_DOCUMENT_BYTES);
  const intake = bytes.ok ? readForeign(bytes.value) : bytes;
  if (!intake.ok) return failed(path, intake.problem);
  const flags = readFlags(input);
  const done = await importRun(store, intake.value, {
    finish: flags.is("finish"),
    replace: flags.is("replace"),
    nowMs: context.now(),
  });
  if (!done.ok) return { ...failed(path, done.problem), run: intake.value.document.run.id };
  const { row, did, migratedFrom } = done.value;
  return {
    file: path,
    ok: true,
    run: row.run,
    did,
    state: row.state,
    outcome: row.outcome,
    migrated_from: migratedFrom ?? null,
  };
}

function failed(file: string, { code, message, hint, at }: Problem): JsonObject {
  const empty = { run: null, did: null, state: null, outcome: null, migrated_from: null };
  return { file, ok: false, ...empty, problem: { code, message, hint, at } };
}

function outputOf(rows: readonly JsonObject[], isBrief: boolean): CommandOutput {
  const count = (...did: readonly string[]): number =>
    rows.filter((row) => did.includes(String(row["did"]))).length;
  const failures = rows.filter((row) => row["ok"] === false);
  const open = rows.filter((row) => row["state"] === "open").length;
  const shown = isBrief ? failures.slice(0, SHOWN_FAILURES) : rows;
  return {
    exit: exitFor(failures),
    json: {
      schema: "loopwright.run-import/1",
      ok: true,
      imported: rows.length - failures.length,
      new: count("new"),
      unchanged: count("unchanged"),
      replaced: count("replaced", "finished"),
      failed: failures.length,
      open,
      next:
        open === 0 ? null : `${open} of them are stored open: import them again with --finish to judge them`,
      files: shown,
      more_failures: isBrief ? failures.length - shown.length : 0,
    },
  };
}

function exitFor(failures: readonly JsonObject[]): ExitCode {
  const codes = failures.map((row) => (row["problem"] as unknown as Problem).code);
  if (codes.some((code) => exitOf(code) === ExitCode.notFound)) return ExitCode.notFound;
  return codes.length === 0 ? ExitCode.ok : ExitCode.userError;
}
