import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createNotifier, type NotifySettings } from "./adapters/notify/index.ts";
import type { Notifier } from "./ports/notifier.ts";

/** Tells the terminal, and whoever the home's configuration names. One that cannot be read names nobody. */
export async function notifierOf(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  talk: (line: string) => void,
): Promise<Notifier> {
  const text = await readFile(join(home, "config.toml"), "utf8").catch(() => "");
  const settings = text.includes("notify") ? await settingsIn(text) : { desktop: false };
  return createNotifier({ platform: process.platform, env, talk }, settings);
}

async function settingsIn(text: string): Promise<NotifySettings> {
  const { parseConfig } = await import("./formats/config/index.ts");
  const config = parseConfig(text);
  if (!config.ok) return { desktop: false };
  const { values } = config.value;
  const webhook = values.get("notify.webhook");
  const command = values.get("notify.command");
  return {
    desktop: values.get("notify.desktop") === "on",
    ...(typeof webhook === "string" && { webhook }),
    ...(Array.isArray(command) && command.length > 0 && { command: command.map(String) }),
  };
}
