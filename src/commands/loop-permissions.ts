import { byCodePoint, isJsonObject, type Json, type JsonObject } from "../core/canonical-json.ts";
import { fail, ok, type Result } from "../core/result.ts";
import type { Loop } from "../formats/loop/index.ts";
import { ExitCode } from "./exit-codes.ts";
import { readFlags } from "./flag-values.ts";
import { LOOP_FILE_ARG } from "./loop-file.ts";
import { answer, list, orNull, text, whole } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

export const loopPermissions: Command = {
  path: ["loop", "permissions"],
  group: "Loops",
  brief: "What an agent with a permission list must be allowed for a loop to run unattended",
  details:
    "For the list of Claude Code: the commands of the loop's providers and of its script checks, and reading and editing files. --write adds them to a settings file and takes nothing out.",
  args: [LOOP_FILE_ARG],
  flags: {
    write: { kind: "text", brief: "Add them to this settings file", placeholder: "FILE" },
  },
  output: answer("loop-permissions", {
    permissions: list(text),
    added: whole,
    out: orNull(text),
    lines: list(text),
  }),
  run,
};

const ALWAYS = ["Edit", "Glob", "Grep", "Read", "Write"];
const LARGEST_BYTES = 4 * 1024 * 1024;

async function run(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { readDraftLoop } = await import("./read-loop.ts");
  const loop = await readDraftLoop(context, input);
  if (!loop.ok) return loop;
  const permissions = permissionsOf(loop.value);
  const out = readFlags(input).text("write");
  const added = out === undefined ? ok(0) : await addTo(context, out, permissions);
  if (!added.ok) return added;
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.loop-permissions/1",
      ok: true,
      permissions: [...permissions],
      added: added.value,
      out: out ?? null,
      lines:
        out === undefined ? [...permissions] : [`${added.value} of ${permissions.length} added to ${out}`],
    },
  });
}

/** Sorted and each once. */
function permissionsOf({ providers, checks }: Loop): readonly string[] {
  const scripts = checks.flatMap(({ detector }) => {
    if (detector.type !== "script") return [];
    return "line" in detector.command ? [detector.command.line] : [detector.command.argv.join(" ")];
  });
  const commands = [...providers.map(({ command }) => command), ...scripts];
  return [...new Set([...ALWAYS, ...commands.map((command) => `Bash(${command}:*)`)])].sort(byCodePoint);
}

/** How many were not there yet. A file that is no settings object is left as it is: `bad-input`. */
async function addTo(
  context: CommandContext,
  path: string,
  permissions: readonly string[],
): Promise<Result<number>> {
  const settings = await settingsIn(context, path);
  if (!settings.ok) return settings;
  const { permissions: section = {} } = settings.value;
  const allowed = isJsonObject(section) ? (section["allow"] ?? []) : undefined;
  if (!isJsonObject(section) || !Array.isArray(allowed))
    return fail("bad-input", `permissions.allow in ${path} is no list`, { hint: "correct it first" });
  const missing = permissions.filter((one) => !allowed.includes(one));
  if (missing.length === 0) return ok(0);
  const merged = { ...settings.value, permissions: { ...section, allow: [...allowed, ...missing] } };
  const written = await context.files.write(path, `${JSON.stringify(merged, null, 2)}\n`);
  return written.ok ? ok(missing.length) : written;
}

async function settingsIn(context: CommandContext, path: string): Promise<Result<JsonObject>> {
  if ((await context.files.kind(path)) === "none") return ok({});
  const bytes = await context.files.read(path, LARGEST_BYTES);
  if (!bytes.ok) return bytes;
  const settings = parsed(new TextDecoder().decode(bytes.value));
  return settings === undefined
    ? fail("bad-input", `${path} is no JSON object, and is left as it is`)
    : ok(settings);
}

function parsed(content: string): JsonObject | undefined {
  try {
    const settings: Json = JSON.parse(content);
    return isJsonObject(settings) ? settings : undefined;
  } catch {
    return undefined;
  }
}
