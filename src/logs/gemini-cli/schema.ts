import { count, type Fields, fields, optional, text, timeMs } from "../fields.ts";
import type { PlainCall } from "../plain-calls.ts";

/**
 * The call behind one message of the model: input holds what was read from the cache, thoughts and tool prompts are
 * counted apart from output and input, and both are billed.
 *
 * @throws BadCount when a count of the message cannot be one
 */
export function readGeminiCall(message: Fields): PlainCall | undefined {
  const tokens = fields(message["tokens"]);
  if (message["type"] !== "gemini" || tokens === undefined) return undefined;
  const input = count(tokens["input"]);
  const output = count(tokens["output"]);
  const cached = Math.min(count(tokens["cached"]) ?? 0, input ?? 0);
  const thoughts = count(tokens["thoughts"]) ?? 0;
  const tool = count(tokens["tool"]) ?? 0;
  return {
    key: text(message["id"]) ?? `${String(message["timestamp"])} ${String(tokens["total"])}`,
    model: text(message["model"]) ?? "unknown",
    atMs: timeMs(message["timestamp"]),
    usage: {
      ...optional("inputTokens", input === undefined ? undefined : input - cached + tool),
      cacheReadTokens: cached,
      ...optional("outputTokens", output === undefined ? undefined : output + thoughts),
      reasoningTokens: thoughts,
    },
  };
}
