import { SECOND_MS } from "../../core/time.ts";
import type { Fields } from "./fields.ts";
import { type Loop, type LoopProvider, type LoopProviderKind, PROVIDER_KINDS, TIERS } from "./types.ts";

/** Other spellings that the grammar accepts. */
const KIND_SPELLINGS: ReadonlyMap<string, LoopProviderKind> = new Map([
  ...PROVIDER_KINDS.map((kind) => [kind, kind] as const),
  ["claude-code", "claude_code"],
  ["claude", "claude_code"],
  ["claudecode", "claude_code"],
  ["Ollama", "ollama"],
  ["grok-cli", "grok_cli"],
  ["grok", "grok_cli"],
  ["grok-build", "grok_build"],
  ["Hermes", "hermes"],
  ["open_ai", "openai"],
  ["open-ai", "openai"],
  ["OpenAI", "openai"],
  ["google_gemini", "gemini"],
  ["google-gemini", "gemini"],
  ["Gemini", "gemini"],
  ["ACP", "acp"],
  ["BYOK", "byok"],
  ["custom", "byok"],
  ["MCP", "mcp"],
]);

export type LoopProviders = Pick<Loop, "providers" | "cascade" | "enforceJudgeIndependence">;

export function readProviders(fields: Fields): LoopProviders {
  return {
    providers: fields.maps("providers", readProvider),
    cascade: fields.map("cascade", readCascade),
    enforceJudgeIndependence: fields.flag("enforce_judge_independence", true),
  };
}

function readProvider(fields: Fields): LoopProvider {
  const model = fields.optionalText("model");
  const effort = fields.optionalText("effort");
  const timeoutSeconds = fields.optional("timeout_seconds", (key) => fields.whole(key));
  const usageRegex = fields.optionalText("usage_regex");
  const usdPer1kTokens = fields.optional("cost_per_1k_tokens", (key) =>
    fields.number(key, undefined, { atLeast: 0 }),
  );
  return {
    id: fields.text("id"),
    kind: KIND_SPELLINGS.get(fields.word("kind", [...KIND_SPELLINGS.keys()])) ?? "byok",
    command: fields.text("command"),
    tiers: fields.words("tiers", TIERS),
    args: fields.texts("args"),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    requiresEnv: fields.texts("requires_env"),
    ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * SECOND_MS }),
    promptOnStdin: fields.flag("prompt_on_stdin", false),
    ...(usageRegex !== undefined && { usageRegex }),
    ...(usdPer1kTokens !== undefined && { usdPer1kTokens }),
  };
}

/** A tier that is not named falls back on the providers' own tiers; one that is named empty serves nobody. */
function readCascade(fields: Fields): Loop["cascade"] {
  const entries = TIERS.flatMap((tier) => {
    const ids = fields.optional(tier, (key) => fields.texts(key));
    return ids === undefined ? [] : [[tier, ids] as const];
  });
  return Object.fromEntries(entries);
}
