/** Where a model stands: a new version starts from its family, a new family from its provider. */
export interface ModelPath {
  readonly provider: string;
  /** `provider/family`. */
  readonly family: string;
  readonly model: string;
}

const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/^gemini/, "google"],
  [/^gemma/, "google"],
  [/^deepseek/, "deepseek"],
  [/^grok/, "xai"],
  [/^qw(en|q)/, "alibaba"],
  [/^kimi/, "moonshot"],
  [/^glm/, "zai"],
  [/^mimo/, "xiaomi"],
  [/^nemotron/, "nvidia"],
  [/^composer/, "cursor"],
  [/^command-/, "cohere"],
  [/^openhands-lm/, "all-hands"],
  [/^(optimus|quasar)-alpha/, "openrouter"],
  [/^trinity/, "arcee"],
  [/^yi-/, "01ai"],
  [/^(mi|mini|code|dev|magi)stral/, "mistral"],
  [/^llama/, "meta"],
  [/^minimax/, "minimax"],
];

const known = new Map<string, ModelPath>();

/** Splits a model's name into provider, family and version. Never fails: an odd name is its own family. */
export function modelPath(name: string): ModelPath {
  const found = known.get(name) ?? split(name);
  known.set(name, found);
  return found;
}

function split(name: string): ModelPath {
  const model = name
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/-\d{8}$/, "");
  const claude = /^claude-(?:\d[\d.-]*-)?([a-z]+)/.exec(model);
  if (claude?.[1] !== undefined) return path("anthropic", claude[1], model);
  if (/^(gpt|o\d|codex|chatgpt)/.test(model)) return path("openai", openaiFamily(model), model);
  const maker = MAKERS.find(([pattern]) => pattern.test(model))?.[1];
  const word = /^[a-z]+/.exec(model)?.[0] ?? model;
  const line = /^(gemini)[\d.-]*-(flash|pro)/.exec(model);
  return path(maker ?? "other", line === null ? word : `${line[1]}-${line[2]}`, model);
}

function path(provider: string, family: string, model: string): ModelPath {
  return { provider, family: `${provider}/${family}`, model };
}

function openaiFamily(model: string): string {
  if (/codex-spark/.test(model)) return "codex-spark";
  if (/codex/.test(model)) return "codex";
  if (/^gpt-oss/.test(model)) return "gpt-oss";
  const reasoning = /^o\d+(-mini)?/.exec(model);
  if (reasoning !== null) return reasoning[1] === undefined ? "o" : "o-mini";
  return /^gpt-[\d.]+o?-(?!instant|preview|latest|turbo)([a-z]+)/.exec(model)?.[1] ?? "gpt";
}
