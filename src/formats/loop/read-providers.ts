import { SECOND_MS } from "../../core/time.ts";
import type { MapReader } from "./map-reader.ts";
import {
  type Loop,
  type LoopProvider,
  type LoopProviderKind,
  PROVIDER_KINDS,
  TIERS,
  type Tier,
} from "./types.ts";

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
  ["BYOK", "byok"],
  ["custom", "byok"],
  ["MCP", "mcp"],
]);

export type LoopProviders = Pick<Loop, "providers" | "cascade" | "enforceJudgeIndependence">;

export function readProviders(map: MapReader, isPresent: boolean): LoopProviders {
  const read: LoopProviders = {
    providers: map.maps("providers", readProvider),
    cascade: readCascade(map.map("cascade")),
    // The grammar's own default is off only where the whole block is missing.
    enforceJudgeIndependence: map.flag("enforce_judge_independence", isPresent),
  };
  map.close();
  return read;
}

function readProvider(map: MapReader): LoopProvider {
  const model = map.optionalText("model");
  const effort = map.optionalText("effort");
  const timeoutSeconds = map.optional("timeout_seconds", (key) => map.whole(key));
  const usageRegex = map.optionalText("usage_regex");
  const usdPer1kTokens = map.optional("cost_per_1k_tokens", (key) => map.number(key, undefined, 0));
  const provider: LoopProvider = {
    id: map.text("id"),
    kind: readKind(map),
    command: map.text("command"),
    tiers: readTiers(map),
    args: map.texts("args"),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    requiresEnv: map.texts("requires_env"),
    ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * SECOND_MS }),
    promptOnStdin: map.flag("prompt_on_stdin", false),
    ...(usageRegex !== undefined && { usageRegex }),
    ...(usdPer1kTokens !== undefined && { usdPer1kTokens }),
  };
  map.close();
  return provider;
}

function readKind(map: MapReader): LoopProviderKind {
  const word = map.word("kind", [...KIND_SPELLINGS.keys()]);
  return KIND_SPELLINGS.get(word) ?? "byok";
}

function readTiers(map: MapReader): readonly Tier[] {
  return map.texts("tiers").flatMap((word, index) => {
    const tier = TIERS.find((known) => known === word);
    if (tier === undefined) map.refuse(`tiers[${index}]`, `expected one of ${TIERS.join(", ")}`);
    return tier === undefined ? [] : [tier];
  });
}

function readCascade(map: MapReader): Loop["cascade"] {
  const read: Partial<Record<Tier, readonly string[]>> = {};
  for (const tier of TIERS) {
    if (map.has(tier)) read[tier] = map.texts(tier);
  }
  map.close();
  return read;
}
