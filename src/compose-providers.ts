import { fileURLToPath } from "node:url";
import { which } from "./adapters/process/lookup.ts";
import { createProviders, runBriefly } from "./adapters/providers/index.ts";
import { acpStream } from "./logs/acp/stream.ts";
import { claudeStream } from "./logs/claude-code/stream.ts";
import { codexStream } from "./logs/codex/stream.ts";
import type { Providers } from "./ports/provider.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The providers of this machine, with our readers of agent streams. */
export function providersOf(env: Environment): Providers {
  const path = env["PATH"] ?? "";
  const acpBridge = [process.execPath, fileURLToPath(new URL("./acp-bridge.cjs", import.meta.url))];
  const run = runBriefly(env["HOME"] ?? "/");
  return createProviders({ path, which, claudeStream, codexStream, acpStream, acpBridge, run });
}
