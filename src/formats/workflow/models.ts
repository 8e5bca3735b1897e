/** What is known of models and harnesses without asking anybody: who makes a model, what a harness can run. */

/** `ultra` is not offered: it changes the workflow's shape. */
const OFFERED: readonly string[] = ["low", "medium", "high", "xhigh", "max", "default"];
const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/^claude/, "anthropic"],
  [/^(gpt|codex|o\d)/, "openai"],
  [/^gemini/, "google"],
  [/^deepseek/, "deepseek"],
  [/^grok/, "xai"],
  [/^qwen/, "alibaba"],
  [/^kimi/, "moonshot"],
  [/^glm/, "zhipu"],
  [/^(mi|mag|dev|code)stral/, "mistral"],
  [/^llama/, "meta"],
];
const RUNS: Readonly<Record<string, string>> = { "claude-code": "anthropic", codex: "openai" };

/** Maker of a model by its name; undefined when the name does not tell. */
export function makerOf(model: string): string | undefined {
  const name = model.toLowerCase().split("/").at(-1) ?? "";
  return MAKERS.find(([pattern]) => pattern.test(name))?.[1];
}

/** False only when it is known that this harness does not run this model. */
export function canRun(harness: string, model: string): boolean {
  const maker = makerOf(model);
  const wanted = RUNS[harness];
  return maker === undefined || wanted === undefined || maker === wanted;
}

/** False only when it is known that this harness does not offer this effort. */
export function offersEffort(harness: string, effort: string): boolean {
  return RUNS[harness] === undefined || OFFERED.includes(effort);
}
