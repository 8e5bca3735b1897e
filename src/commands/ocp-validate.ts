import type { JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Finding } from "../formats/ocp/index.ts";
import { documentFiles } from "./document-files.ts";
import { ExitCode } from "./exit-codes.ts";
import { answer, flag, list, object, oneOf, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const FINDING = object({ level: oneOf("error", "warning"), code: text, path: text, message: text });
const FILE = object({
  path: text,
  ocp: orNull(text),
  ok: flag,
  errors: whole,
  warnings: whole,
  findings: list(FINDING),
});

export const ocpValidate: Command = {
  path: ["ocp", "validate"],
  group: "Formats",
  brief: "Check run documents by every rule of their version",
  details: "Exit 1 when one has an error, 2 when one is not there. Warnings never fail.",
  args: [{ name: "path", brief: "Files, or folders of *.ocp.json", required: true, variadic: true }],
  flags: {},
  output: answer("ocp-validate", { valid: flag, files: list(FILE) }),
  run,
};

interface Checked {
  readonly path: string;
  readonly ocp: string | null;
  readonly findings: readonly Finding[];
  readonly value: unknown;
}

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  if (input.args.length === 0) return fail("bad-flag", "name a file or a folder to check");
  const { checkSlateSet } = await import("../formats/ocp/index.ts");
  const { paths, missing } = await documentFiles(context, input.args);
  const checked: Checked[] = [];
  for (const path of paths) checked.push(await check(context, path));
  for (const path of missing) checked.push(unreadable(path, "no such file or folder"));
  const across = checkSlateSet(checked.map(({ value }) => value));
  const files = checked.map((one, index) => fileView(one, [...one.findings, ...(across[index] ?? [])]));
  const valid = files.every((file) => file["ok"] === true) && files.length > 0;
  if (files.length === 0) context.talk("no *.ocp.json in that folder");
  return ok({
    exit: missing.length > 0 ? ExitCode.notFound : valid ? ExitCode.ok : ExitCode.userError,
    json: { schema: "loopwright.ocp-validate/1", ok: true, valid, files },
  });
}

async function check({ files }: CommandContext, path: string): Promise<Checked> {
  const { validateOcp } = await import("../formats/ocp/index.ts");
  const { MAX_DOCUMENT_BYTES } = await import("../record/intake.ts");
  const bytes = await files.read(path, MAX_DOCUMENT_BYTES);
  if (!bytes.ok) return unreadable(path, bytes.problem.message);
  const { ocp, findings, value } = validateOcp(bytes.value);
  return { path, ocp, findings, value };
}

function unreadable(path: string, message: string): Checked {
  return {
    path,
    ocp: null,
    findings: [{ level: "error", code: "E001", path: "$", message }],
    value: undefined,
  };
}

function fileView({ path, ocp }: Checked, findings: readonly Finding[]): JsonObject {
  const errors = findings.filter(({ level }) => level === "error").length;
  return {
    path,
    ocp,
    ok: errors === 0,
    errors,
    warnings: findings.length - errors,
    findings: findings.map((one) => ({ ...one })),
  };
}
