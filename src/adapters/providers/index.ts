import { assertNever, ok } from "../../core/result.ts";
import type { AgentStreamFactory } from "../../ports/agent-stream.ts";
import type { Providers } from "../../ports/provider.ts";
import { type BridgeCommand, createAcp } from "./acp.ts";
import { createClaudeCode } from "./claude-code.ts";
import { createCodex } from "./codex.ts";
import { createCommand } from "./command.ts";
import { detectAgents, type RunBriefly } from "./detect.ts";
import type { Machine } from "./executable.ts";
import { parseProvider } from "./parse.ts";

export { type RunBriefly, runBriefly } from "./detect.ts";

export interface ProviderDependencies extends Machine {
  readonly claudeStream: AgentStreamFactory;
  readonly codexStream: AgentStreamFactory;
  readonly acpStream: AgentStreamFactory;
  readonly acpBridge: BridgeCommand;
  readonly run: RunBriefly;
}

/** The ways to run a model that this build knows. Nothing is started but `--version` in `detect`. */
export function createProviders(dependencies: ProviderDependencies): Providers {
  const { claudeStream, codexStream, acpStream, acpBridge } = dependencies;
  return {
    make(spec) {
      switch (spec.kind) {
        case "claude-code":
          return ok(createClaudeCode(spec, dependencies, claudeStream));
        case "codex":
          return ok(createCodex(spec, dependencies, codexStream));
        case "acp":
          return ok(createAcp(spec, dependencies, acpStream, acpBridge));
        case "command":
          return createCommand(spec, dependencies, claudeStream);
        default:
          return assertNever(spec);
      }
    },
    parse: parseProvider,
    detect: (path) => detectAgents(dependencies, dependencies.run, path),
  };
}
