import { which } from "./adapters/process/lookup.ts";
import { createProviders, runBriefly } from "./adapters/providers/index.ts";
import { claudeStream } from "./logs/claude-code/stream.ts";
import { codexStream } from "./logs/codex/stream.ts";
import type { Providers } from "./ports/provider.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The providers of this machine, with our readers of agent streams. */
export function providersOf(env: Environment): Providers {
  const path = env["PATH"] ?? "";
  return createProviders({ path, which, claudeStream, codexStream, run: runBriefly(env["HOME"] ?? "/") });
}
