import { fail, ok, type Result } from "../../core/result.ts";
import type { ProviderSpec } from "../../ports/provider.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";
import { parseCommandLine } from "./shell-words.ts";
import { holdsPlaceholder } from "./template.ts";

/**
 * A provider as a person types it: the id of a known agent, where it takes them with a model and an effort
 * (`codex:gpt-6-astra:high`), or `command:CMDLINE`. A command line that holds shell
 * operators is run by `/bin/sh -c`, every other one directly; one that asks its program for
 * `--output-format stream-json` is read as Claude Code's stream. `acp:CMDLINE` is an agent that speaks the Agent Client
 * Protocol; no shell runs that line. Problems: `unknown-provider`, `bad-input`.
 */
export function parseProvider(text: string): Result<ProviderSpec> {
  const line = /^command:(.*)$/s.exec(text)?.[1];
  if (line !== undefined) return commandSpec(line);
  const agentLine = /^acp:(.*)$/s.exec(text)?.[1];
  if (agentLine !== undefined) return acpSpec(agentLine);
  const [name = "", ...choice] = text.split(":");
  const agent = KNOWN_AGENTS.find(({ id }) => id === (name === "claude" ? "claude-code" : name));
  if (agent !== undefined) return withModel(agent.spec, choice);
  const names = KNOWN_AGENTS.map((known) => known.id).join(", ");
  return fail("unknown-provider", `no provider is called ${text}`, {
    hint: `use one of ${names}, \`acp:CMDLINE\` for an agent of that protocol, or \`command:CMDLINE\` for a command of your own`,
  });
}

function withModel(spec: ProviderSpec, choice: readonly string[]): Result<ProviderSpec> {
  const [model, effort] = choice;
  if (model === undefined) return ok(spec);
  if (spec.kind === "command" && spec.modelArgs !== undefined && choice.length === 1 && model !== "") {
    return ok({ ...spec, model });
  }
  if (spec.kind !== "claude-code" && spec.kind !== "codex") {
    return fail("bad-input", `${spec.id} is started with the model of its own settings`, {
      hint: "choose it there, or write its command line: command:CMDLINE",
    });
  }
  if (choice.length > 2 || choice.includes("")) {
    return fail("bad-input", `${spec.id}:${choice.join(":")} is no agent, model and effort`, {
      hint: `write ${spec.id}:MODEL or ${spec.id}:MODEL:EFFORT`,
    });
  }
  return ok({ ...spec, model, ...(effort !== undefined && { effort }) });
}

function acpSpec(line: string): Result<ProviderSpec> {
  const parsed = parseCommandLine(line);
  if (!parsed.ok) return parsed;
  if (parsed.value.kind === "shell") {
    return fail("bad-input", "an agent of the Agent Client Protocol is started without a shell", {
      hint: "write its program and arguments alone, such as `acp:gemini --acp`",
    });
  }
  return ok({ kind: "acp", id: "acp", argv: parsed.value.words });
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
