import { fail, ok, type Result } from "../../core/result.ts";
import type { ProviderSpec } from "../../ports/provider.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";
import { parseCommandLine } from "./shell-words.ts";
import { holdsPlaceholder } from "./template.ts";

/**
 * A provider as a person types it: the id of a known agent, or `command:CMDLINE`. A command line that holds shell
 * operators is run by `/bin/sh -c`, every other one directly; one that asks its program for
 * `--output-format stream-json` is read as Claude Code's stream. Problems: `unknown-provider`, `bad-input`.
 */
export function parseProvider(text: string): Result<ProviderSpec> {
  const line = /^command:(.*)$/s.exec(text)?.[1];
  if (line !== undefined) return commandSpec(line);
  const name = text === "claude" ? "claude-code" : text;
  const agent = KNOWN_AGENTS.find((known) => known.id === name);
  if (agent !== undefined) return ok(agent.spec);
  const names = KNOWN_AGENTS.map((known) => known.id).join(", ");
  return fail("unknown-provider", `no provider is called ${text}`, {
    hint: `use one of ${names}, or \`command:CMDLINE\` for a command of your own`,
  });
}

function commandSpec(line: string): Result<ProviderSpec> {
  const parsed = parseCommandLine(line);
  if (!parsed.ok) return parsed;
  const argv = parsed.value.kind === "shell" ? ["/bin/sh", "-c", parsed.value.line] : parsed.value.words;
  return ok({
    kind: "command",
    id: "command",
    argv,
    promptOnStdin: !argv.some((word) => holdsPlaceholder(word, "prompt")),
    ...(/--output-format[ =]stream-json\b/.test(argv.join(" "))
      ? { output: "claude-stream-json" as const }
      : {}),
  });
}
