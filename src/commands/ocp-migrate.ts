import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { documentFiles } from "./document-files.ts";
import { ExitCode } from "./exit-codes.ts";
import { plainPath, readFlags } from "./flag-values.ts";
import { answer, flag, list, object, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const FILE = object({
  in: text,
  out: orNull(text),
  from: orNull(text),
  ok: flag,
  errors: whole,
  warnings: whole,
  error: orNull(text),
  "text?": text,
});

export const ocpMigrate: Command = {
  path: ["ocp", "migrate"],
  group: "Formats",
  brief: "Bring run documents of older versions to 0.3",
  details: "Never changes its input. Without --out a single result goes to stdout.",
  args: [{ name: "path", brief: "Files, or folders of *.ocp.json", required: true, variadic: true }],
  flags: { out: { kind: "text", brief: "Write the results into this folder", placeholder: "DIR" } },
  output: answer("ocp-migrate", { migrated: flag, files: list(FILE) }),
  run,
};

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  if (input.args.length === 0) return fail("bad-flag", "name a file to migrate");
  const out = readFlags(input).text("out");
  const { paths, missing } = await documentFiles(context, input.args);
  const targets = paths.map((path) => (out === undefined ? undefined : `${out}/${targetName(path)}`));
  const clash = await refusal(context, paths, targets);
  if (clash !== undefined) return fail("bad-input", clash, { hint: "choose another folder with --out" });
  const files: JsonObject[] = [];
  for (const [index, path] of paths.entries()) files.push(await migrate(context, path, targets[index]));
  for (const path of missing) files.push(row(path, { error: "no such file or folder" }));
  const migrated = files.length > 0 && files.every((file) => file["ok"] === true);
  return ok({
    exit: missing.length > 0 ? ExitCode.notFound : migrated ? ExitCode.ok : ExitCode.userError,
    json: { schema: "loopwright.ocp-migrate/1", ok: true, migrated, files },
  });
}

/** Why nothing may be written: an input would be overwritten, or two results share a name. */
async function refusal(
  { files, cwd }: CommandContext,
  paths: readonly string[],
  targets: readonly (string | undefined)[],
): Promise<string | undefined> {
  const seen = new Map<string, string>();
  const inputs = new Set(paths.map((path) => plainPath(cwd, path)));
  for (const [index, target] of targets.entries()) {
    if (target === undefined) continue;
    const place = plainPath(cwd, target);
    const path = paths[index] ?? "";
    if (inputs.has(place)) return `${target} is an input, which is never changed`;
    const other = seen.get(place);
    if (other !== undefined) return `${other} and ${path} would both become ${target}`;
    seen.set(place, path);
    if ((await files.kind(target)) === "folder") return `${target} is a folder`;
  }
  return undefined;
}

function targetName(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? path;
  return name.endsWith(".ocp.json") ? name : `${name.replace(/\.json$/, "")}.ocp.json`;
}

async function migrate(
  context: CommandContext,
  path: string,
  target: string | undefined,
): Promise<JsonObject> {
  const { migrateOcp } = await import("../formats/ocp/index.ts");
  const { inferConfiguration } = await import("../formats/workflow/index.ts");
  const { MAX_DOCUMENT_BYTES } = await import("../record/intake.ts");
  const bytes = await context.files.read(path, MAX_DOCUMENT_BYTES);
  if (!bytes.ok) return row(path, { error: bytes.problem.message });
  const migration = migrateOcp(bytes.value, inferConfiguration);
  if (!migration.ok) return row(path, { error: migration.problem.message });
  const { from, text: result, report } = migration.value;
  const written = target === undefined ? ok(undefined) : await context.files.write(target, result);
  if (!written.ok) return row(path, { error: written.problem.message });
  return row(path, {
    ok: true,
    from,
    out: target ?? null,
    warnings: report.findings.length,
    ...(target === undefined ? { text: result } : {}),
  });
}

function row(path: string, members: JsonObject): JsonObject {
  return { in: path, out: null, from: null, ok: false, errors: 0, warnings: 0, error: null, ...members };
}
