import { basename } from "node:path";

const FAMILIES: Readonly<Record<string, string>> = {
  claude: "anthropic",
  codex: "openai",
  gemini: "google",
  qwen: "alibaba",
};
const MODEL_FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/claude/i, "anthropic"],
  [/^(gpt|o\d|codex)/i, "openai"],
  [/gemini/i, "google"],
];

/** Whose models a command runs, by the model that it names or the program: two of one family judge their own work. */
export function familyOf({
  kind,
  argv,
  model = "",
}: {
  readonly kind: string;
  readonly argv: readonly string[];
  readonly model?: string;
}): string {
  const byModel = MODEL_FAMILIES.find(([pattern]) => pattern.test(model))?.[1];
  return byModel ?? FAMILIES[basename(argv[0] ?? "")] ?? `${kind}:${argv.join(" ")}:${model}`;
}
