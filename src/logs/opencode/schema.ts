import { count, epochMs, type Fields, number, optional, text } from "../fields.ts";
import type { PlainCall } from "../plain-calls.ts";

/**
 * The call behind one answer of the model; undefined when nothing was billed. Output is stated without reasoning. A fork copies
 * its parent's answers under new ids with everything else kept, times to the millisecond included: those are the key.
 *
 * @throws BadCount when a count of the row cannot be one
 */
export function readOpencodeCall(row: Fields): PlainCall | undefined {
  const input = count(row["input"]);
  const output = count(row["output"]);
  const reasoning = count(row["reasoning"]);
  const written = count(row["cache_write"]);
  const read = count(row["cache_read"]);
  if ([input, output, reasoning, written, read].every((tokens) => (tokens ?? 0) === 0)) return undefined;
  const model = text(row["model"]) ?? "unknown";
  return {
    key: [row["created"], row["completed"], model, input, output, reasoning, written, read].join(" "),
    model,
    atMs: epochMs(row["created"]),
    usage: {
      ...optional("inputTokens", input),
      // No lifetime is stated; five minutes is what it asks providers for.
      ...optional("cacheWrite5mTokens", written),
      ...optional("cacheReadTokens", read),
      ...optional("outputTokens", output === undefined ? undefined : output + (reasoning ?? 0)),
      ...optional("reasoningTokens", reasoning),
    },
    ...optional("recordedUsd", number(row["cost"])),
    ...optional("cwd", text(row["cwd"])),
  };
}
