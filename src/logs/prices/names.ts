const PREFIXES = [
  "anthropic/",
  "openai/",
  "bedrock/",
  "vertex_ai/",
  "azure/",
  "us.",
  "eu.",
  "apac.",
  "jp.",
  "global.",
  "anthropic.",
  "openai.",
];

/**
 * A model's name without what gateways and clients add: `[1m]`, a provider or region in front, `-v1:0`, `@date`. A
 * date in the name itself stays: it may have its own price.
 */
export function canonicalModel(model: string): string {
  let name = model
    .trim()
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, "");
  for (;;) {
    const prefix = PREFIXES.find((entry) => name.startsWith(entry));
    if (prefix === undefined) break;
    name = name.slice(prefix.length);
  }
  return name
    .replace(/^(claude.*)-v\d+(:\d+)?$/, "$1")
    .replace(/@(\d{8}|latest|default)$/, (_, tag: string) => (/^\d/.test(tag) ? `-${tag}` : ""));
}

/** The name without a date at its end: `-20250929`, `-2025-11-13`. */
export function undatedModel(model: string): string {
  return model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}
