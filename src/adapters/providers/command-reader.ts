import type { StreamReader, UsageReport } from "../../ports/provider.ts";
import type { CommandSpec } from "./command.ts";
import { endOfCommand } from "./ending.ts";
import { createTextTail } from "./text-tail.ts";

/** Enough for a closing summary and a line of counters; what came before counts by length only. */
const KEPT_BYTES = 64 * 1024;
const SUMMARY_LENGTH = 4000;
/** The usual rule of thumb, good to a factor of two. It misses what an agent reads and writes through its tools. */
const CHARS_PER_TOKEN = 4;
/** Tokens without a model, or without a split by class, have no price. */
const UNPRICED = "unknown";

/** Reads a plain command: text out, exit code as the end, tokens by pattern or by length. */
export function createCommandReader(spec: CommandSpec, sent: string): StreamReader {
  const stdout = createTextTail(KEPT_BYTES);
  const stderr = createTextTail(KEPT_BYTES);
  return {
    push(chunk, source) {
      (source === "stdout" ? stdout : stderr).push(chunk);
      return [{ kind: "activity", what: source }];
    },
    finish(end) {
      const answer = stdout.text().trim();
      return {
        end: endOfCommand(end, spec.rateLimitExitCodes ?? [], stderr.lastLine()),
        ...(spec.model === undefined ? {} : { model: spec.model }),
        summary: answer.slice(-SUMMARY_LENGTH),
        usage: usageOf(spec, sent, stdout.bytes, [stdout.text(), stderr.text()]),
      };
    },
  };
}

function usageOf(
  spec: CommandSpec,
  sent: string,
  answerBytes: number,
  texts: readonly string[],
): UsageReport {
  if (spec.usageRegex !== undefined) {
    const total = countIn(new RegExp(spec.usageRegex), texts);
    if (total === undefined) return { kind: "unknown", why: "the usage pattern matched no count" };
    return known("measured", spec, { inputTokens: total }, total, UNPRICED);
  }
  const inputTokens = Math.ceil(sent.length / CHARS_PER_TOKEN);
  const outputTokens = Math.ceil(answerBytes / CHARS_PER_TOKEN);
  const total = inputTokens + outputTokens;
  return known("estimated", spec, { inputTokens, outputTokens }, total, spec.model ?? UNPRICED);
}

function known(
  provenance: "measured" | "estimated",
  spec: CommandSpec,
  usage: { readonly inputTokens: number; readonly outputTokens?: number },
  total: number,
  model: string,
): UsageReport {
  const rate = spec.usdPer1kTokens;
  if (rate === undefined) return { kind: "known", provenance, models: [{ model, usage }] };
  const statedMicroUsd = Math.round(total * rate * 1000);
  return { kind: "known", provenance, models: [{ model: spec.model ?? model, usage, statedMicroUsd }] };
}

function countIn(pattern: RegExp, texts: readonly string[]): number | undefined {
  for (const text of texts) {
    const match = pattern.exec(text);
    const digits = (match?.[1] ?? match?.[0])?.replace(/[,_]/g, "");
    if (digits !== undefined && /^\d+$/.test(digits)) return Number(digits);
  }
  return undefined;
}
