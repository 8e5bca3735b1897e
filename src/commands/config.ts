import type { Json, JsonObject } from "../core/canonical-json.ts";
import { ok, type Result } from "../core/result.ts";
import { ExitCode } from "./exit-codes.ts";
import { configFile, configText, readConfig } from "./home-config.ts";
import { answer, anything, flag, list, object, text } from "./schema.ts";
import type { Command, CommandContext, CommandInput, CommandOutput } from "./types.ts";

const KEY = object({ key: text, set: flag, value: anything, brief: text });

export const configGet: Command = {
  path: ["config", "get"],
  group: "Record",
  brief: "Your settings: all keys with what holds, or one",
  args: [{ name: "key", brief: "Only this key", required: false }],
  flags: {},
  output: answer("config-get", { file: text, keys: list(KEY), unread: list(text) }),
  run: get,
};

export const configSet: Command = {
  path: ["config", "set"],
  group: "Record",
  brief: "Set one of your settings",
  details: "The value is read as JSON where it is JSON; `null` removes. A key that nothing reads is refused.",
  args: [
    { name: "key", brief: "Words joined by dots", required: true },
    { name: "value", brief: "What it shall be", required: true },
  ],
  flags: {},
  output: answer("config-set", { key: text, set: flag, value: anything }),
  personOnly: true,
  run: (context, input) => change(context, "config-set", input.args[0] ?? "", input.args[1] ?? ""),
};

export const configUnset: Command = {
  path: ["config", "unset"],
  group: "Record",
  brief: "Remove one of your settings, so that what the program came with holds again",
  args: [{ name: "key", brief: "Words joined by dots", required: true }],
  flags: {},
  output: answer("config-unset", { key: text, set: flag, value: anything }),
  personOnly: true,
  run: (context, input) => change(context, "config-unset", input.args[0] ?? "", undefined),
};

async function get(context: CommandContext, input: CommandInput): Promise<Result<CommandOutput>> {
  const { CONFIG_KEYS, findKey, formatKeyPath } = await import("../formats/config/index.ts");
  const config = await readConfig(context);
  if (!config.ok) return config;
  const { values, unread } = config.value;
  const [word] = input.args;
  const found = word === undefined ? undefined : findKey(word);
  if (found?.ok === false) return found;
  const known = CONFIG_KEYS.flatMap(({ key, preset, brief }): JsonObject[] => {
    if (!key.includes("*")) return [view(key, values.get(key), preset, brief)];
    const named = [...values.keys()].filter((name) => findKeyName(findKey, name) === key);
    return named.length === 0
      ? [view(key, undefined, null, brief)]
      : named.map((name) => view(name, values.get(name), null, brief));
  });
  const wanted = found === undefined ? undefined : formatKeyPath(found.value.path);
  const shown = wanted === undefined ? known : known.filter((one) => one["key"] === wanted);
  const keys =
    found !== undefined && shown.length === 0 && wanted !== undefined
      ? [view(wanted, undefined, null, found.value.key.brief)]
      : shown;
  for (const name of unread) context.talk(`note: nothing reads the key ${name} in ${configFile(context)}`);
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: "loopwright.config-get/1",
      ok: true,
      file: configFile(context),
      keys,
      unread: [...unread],
    },
  });
}

type FindKey = typeof import("../formats/config/index.ts")["findKey"];

function findKeyName(find: FindKey, name: string): string | undefined {
  const found = find(name);
  return found.ok ? found.value.key.key : undefined;
}

function view(key: string, value: Json | undefined, preset: Json, brief: string): JsonObject {
  return { key, set: value !== undefined, value: value ?? preset, brief };
}

/** Writes the file with the key changed; on any problem the old file stays. */
async function change(
  context: CommandContext,
  name: string,
  word: string,
  value: string | undefined,
): Promise<Result<CommandOutput>> {
  const { findKey, formatKeyPath, parseConfig, setConfig } = await import("../formats/config/index.ts");
  const before = await configText(context);
  if (!before.ok) return before;
  const after = setConfig(before.value, word, value);
  if (!after.ok) return after;
  const found = findKey(word);
  const parsed = parseConfig(after.value);
  if (!found.ok) return found;
  if (!parsed.ok) return parsed;
  const written =
    after.value === before.value
      ? ok(undefined)
      : await context.files.write(configFile(context), after.value);
  if (!written.ok) return written;
  const key = formatKeyPath(found.value.path);
  const now = parsed.value.values.get(key);
  return ok({
    exit: ExitCode.ok,
    json: {
      schema: `loopwright.${name}/1`,
      ok: true,
      key,
      set: now !== undefined,
      value: now ?? found.value.key.preset,
    },
  });
}
