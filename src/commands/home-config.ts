import { ok, type Result } from "../core/result.ts";
import type { Config } from "../formats/config/index.ts";
import type { AcceptanceRule } from "../formats/rule/index.ts";
import type { CommandContext } from "./types.ts";

const LARGEST_BYTES = 1024 * 1024;

type Context = Pick<CommandContext, "home" | "files">;

export function configFile({ home }: Pick<CommandContext, "home">): string {
  return `${home}/config.toml`;
}

/** Text of the home's `config.toml`; empty when there is none. */
export async function configText(context: Context): Promise<Result<string>> {
  const path = configFile(context);
  if ((await context.files.kind(path)) === "none") return ok("");
  const bytes = await context.files.read(path, LARGEST_BYTES);
  return bytes.ok ? ok(new TextDecoder().decode(bytes.value)) : bytes;
}

export async function readConfig(context: Context): Promise<Result<Config>> {
  const { parseConfig } = await import("../formats/config/index.ts");
  const text = await configText(context);
  return text.ok ? parseConfig(text.value) : text;
}

/** A rule by name or short form: one of the configuration's, a built-in one, or the form itself. */
export async function ruleNamed(context: Context, word: string | undefined): Promise<Result<AcceptanceRule>> {
  const { BUILTIN_RULES, parseRule } = await import("../formats/rule/index.ts");
  const config = await readConfig(context);
  if (!config.ok) return config;
  const wanted = word ?? config.value.values.get("acceptance_rule") ?? "tests";
  if (typeof wanted !== "string") return parseRule(wanted, "configured");
  const own = config.value.values.get(`rules.${wanted}`);
  if (own !== undefined) return parseRule(own, wanted);
  const builtin = BUILTIN_RULES.find(({ name }) => name === wanted);
  return builtin === undefined ? parseRule(wanted) : ok(builtin);
}
