import { parseDigest, sha256 } from "../core/hash.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { keptRecords } from "./loop-records.ts";
import { findLoop } from "./read-loop.ts";
import type { CommandContext, CommandInput, CommandOutput } from "./types.ts";

/** Puts a loop file back as it was before a proposal was applied, unless it was changed otherwise since. */
export async function undoProposal(
  context: CommandContext,
  input: CommandInput,
): Promise<Result<CommandOutput>> {
  const [id = ""] = input.args;
  const found = await findLoop(context, readFlags(input).text("file"));
  if (!found.ok) return found;
  const { path, text } = found.value;
  const before = await textBefore(context, id, sha256(text), path);
  if (!before.ok) return before;
  const agreed = context.yes || (await context.confirm?.(`put ${path} back as it was?`)) === true;
  if (!agreed) return fail("needs-answer", "nothing was changed", { hint: "add --yes" });
  const written = await context.files.write(path, before.value);
  if (!written.ok) return written;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.proposals-apply/1",
      ok: true,
      id,
      file: path,
      path: "",
      before: sha256(text),
      after: sha256(before.value),
      lines: [`${path} is as it was before ${id}`],
    },
  });
}

/** Problem: `not-admitted` for a file that is not what applying it made. */
async function textBefore(
  context: CommandContext,
  id: string,
  now: string,
  path: string,
): Promise<Result<string>> {
  const { readDraftLoop } = await import("./read-loop.ts");
  const loop = await readDraftLoop(context, { flags: {}, args: [path] });
  if (!loop.ok) return loop;
  const records = await keptRecords(context, loop.value.name, "proposal");
  if (!records.ok) return records;
  const store = await context.readStore();
  if (!store.ok) return store;
  const applied = records.value.filter(({ key }) => key === id);
  if (applied.length === 0) return fail("no-such-proposal", `${id} was never applied to ${path}`);
  const last = applied.find(({ document }) => document["after"] === now);
  const digest = parseDigest(String(last?.document["before"] ?? ""));
  const kept = digest === undefined ? ok(undefined) : ((await store.value?.blob(digest)) ?? ok(undefined));
  if (!kept.ok) return kept;
  return kept.value === undefined
    ? fail("not-admitted", `${path} was changed since ${id} was applied: undo it by hand`)
    : ok(new TextDecoder().decode(kept.value));
}
