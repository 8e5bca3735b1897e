import type { TokenUsage } from "../../core/tokens.ts";
import { BadCount, count, epochMs, type Fields, fields, list, number, optional, text } from "../fields.ts";

/** A span of an OTLP trace with what readers need of it. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly session: string;
  readonly agent?: string;
  readonly startMs?: number;
  readonly endMs?: number;
  readonly hasFailed: boolean;
  readonly model?: string;
  /** Present on a span of one model call. */
  readonly usage?: TokenUsage;
  readonly statedUsd?: number;
}

/** Calls of a model; spans of agents and workflows sum up those below them. */
const CALLS = new Set(["chat", "text_completion", "generate_content"]);
const CLAUDE_CALL = "claude_code.llm_request";

/** All spans of one export request; one with a count that cannot be one is refused, with the reason. */
export function spansOf(request: Fields, refuse: (reason: string) => void): Span[] {
  return list(request["resourceSpans"]).flatMap((entry) => {
    const resource = fields(entry);
    const shared = attributesOf(fields(resource?.["resource"]));
    return list(resource?.["scopeSpans"]).flatMap((scope) =>
      list(fields(scope)?.["spans"]).flatMap((span) => {
        const read = fields(span);
        return read === undefined ? [] : (readOrRefuse(read, shared, refuse) ?? []);
      }),
    );
  });
}

function readOrRefuse(span: Fields, shared: Fields, refuse: (reason: string) => void): Span | undefined {
  try {
    return readSpan(span, shared);
  } catch (error) {
    if (!(error instanceof BadCount)) throw error;
    refuse(`span ${String(span["spanId"])}: ${error.message}`);
    return undefined;
  }
}

/** @throws BadCount when a count of the span cannot be one */
function readSpan(span: Fields, shared: Fields): Span | undefined {
  const trace = text(span["traceId"]);
  const id = text(span["spanId"]);
  if (trace === undefined || id === undefined) return undefined;
  const own = attributesOf(span);
  const said = (...names: readonly string[]): string | undefined =>
    names.map((name) => text(own[name]) ?? text(shared[name])).find((value) => value !== undefined);
  return {
    trace,
    id,
    ...optional("parent", text(span["parentSpanId"])),
    session: said("session.id", "gen_ai.conversation.id", "conversation.id") ?? trace,
    ...optional("agent", text(own["agent_id"])),
    ...optional("startMs", nanos(span["startTimeUnixNano"])),
    ...optional("endMs", nanos(span["endTimeUnixNano"])),
    hasFailed: [2, "STATUS_CODE_ERROR"].some((code) => fields(span["status"])?.["code"] === code),
    ...optional("model", said("gen_ai.response.model", "gen_ai.request.model", "model")),
    ...optional("usage", usageOf(text(span["name"]) ?? "", own)),
    ...optional("statedUsd", number(own["cost_usd"])),
  };
}

function usageOf(name: string, own: Fields): TokenUsage | undefined {
  if (name === CLAUDE_CALL) {
    return stated({
      inputTokens: count(own["input_tokens"]),
      cacheWrite5mTokens: count(own["cache_creation_tokens"]),
      cacheReadTokens: count(own["cache_read_tokens"]),
      outputTokens: count(own["output_tokens"]),
    });
  }
  if (!CALLS.has(text(own["gen_ai.operation.name"]) ?? "")) return undefined;
  const input = count(own["gen_ai.usage.input_tokens"]);
  const written = count(own["gen_ai.usage.cache_creation.input_tokens"]);
  const read = count(own["gen_ai.usage.cache_read.input_tokens"]);
  return stated({
    // The conventions count cached tokens as input.
    inputTokens: input === undefined ? undefined : Math.max(0, input - (written ?? 0) - (read ?? 0)),
    cacheWrite5mTokens: written,
    cacheReadTokens: read,
    outputTokens: count(own["gen_ai.usage.output_tokens"]),
    reasoningTokens: count(own["gen_ai.usage.reasoning.output_tokens"]),
  });
}

function stated(
  counts: {
    readonly [K in keyof TokenUsage]: TokenUsage[K] | undefined;
  },
): TokenUsage | undefined {
  const { inputTokens, outputTokens } = counts;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    ...optional("inputTokens", inputTokens),
    ...optional("cacheWrite5mTokens", counts.cacheWrite5mTokens),
    ...optional("cacheReadTokens", counts.cacheReadTokens),
    ...optional("outputTokens", outputTokens),
    ...optional("reasoningTokens", counts.reasoningTokens),
  };
}

/** `[{key, value: {intValue: "5"}}]` as one object; 64-bit numbers come as digits. */
function attributesOf(holder: Fields | undefined): Fields {
  const pairs = list(holder?.["attributes"]).flatMap((entry) => {
    const pair = fields(entry);
    const key = text(pair?.["key"]);
    const value = fields(pair?.["value"]);
    return key === undefined || value === undefined ? [] : [[key, plainValue(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function plainValue(value: Fields): unknown {
  const whole = value["intValue"];
  if (whole !== undefined) return typeof whole === "string" && /^-?\d+$/.test(whole) ? Number(whole) : whole;
  return value["stringValue"] ?? value["doubleValue"] ?? value["boolValue"];
}

function nanos(value: unknown): number | undefined {
  const digits = typeof value === "number" ? value : Number(text(value));
  return Number.isFinite(digits) && digits > 0 ? epochMs(Math.floor(digits / 1e6)) : undefined;
}
