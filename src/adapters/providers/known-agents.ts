import { AGENT_COMMANDS } from "../../formats/agent-commands.ts";
import type { ProviderSpec } from "../../ports/provider.ts";
import { CLAUDE_INSTALL_HINT } from "./claude-code.ts";
import { CODEX_INSTALL_HINT } from "./codex.ts";

/** An agent that can be named without a command line. */
export interface KnownAgent {
  readonly id: string;
  readonly kind: ProviderSpec["kind"];
  readonly program: string;
  readonly install: string;
  readonly spec: ProviderSpec;
}

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    id: "claude-code",
    kind: "claude-code",
    program: "claude",
    install: CLAUDE_INSTALL_HINT,
    spec: { kind: "claude-code", id: "claude-code", command: "claude", args: [] },
  },
  {
    id: "codex",
    kind: "codex",
    program: "codex",
    install: CODEX_INSTALL_HINT,
    spec: { kind: "codex", id: "codex", command: "codex", args: [] },
  },
  textAgent("gemini", "npm install -g @google/gemini-cli", ["GEMINI_API_KEY"]),
  textAgent("opencode", "npm install -g opencode-ai", []),
];

/** Agents of which we know the headless command only: their end is their exit code, their spend a guess by length. */
function textAgent(id: "gemini" | "opencode", installCommand: string, env: readonly string[]): KnownAgent {
  const install = `install it with \`${installCommand}\` and log in once`;
  const { args, ...how } = AGENT_COMMANDS[id];
  const spec: ProviderSpec = { kind: "command", id, argv: [id, ...args], env, ...how };
  return { id, kind: "command", program: id, install, spec };
}
