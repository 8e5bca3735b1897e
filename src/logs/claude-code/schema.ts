import type { TokenUsage } from "../../core/tokens.ts";
import { count, type Fields, fields, list, number, optional, text, timeMs } from "../fields.ts";
import { type SpentTokens, tierOf, tokensOf } from "./spent.ts";

/** The model name on records that the program made itself: errors, interrupts. Never billed. */
export const SYNTHETIC = "<synthetic>";

export interface AssistantRecord extends SpentTokens {
  readonly kind: "assistant";
  readonly uuid?: string;
  readonly parentUuid?: string;
  readonly sessionId?: string;
  readonly messageId?: string;
  readonly requestId?: string;
  readonly requestRef?: string;
  readonly requestSessionId?: string;
  readonly agentId?: string;
  readonly isSidechain: boolean;
  readonly hasStopReason: boolean;
  readonly model: string;
  readonly toolUses: readonly string[];
  readonly recordedUsd?: number;
  readonly cwd?: string;
  readonly branch?: string;
  readonly atMs?: number;
}

export interface UserRecord {
  readonly kind: "user";
  readonly uuid?: string;
  readonly sessionId?: string;
  readonly agentId?: string;
  readonly isSidechain: boolean;
  /** Something a person or the parent agent said, rather than tool results alone. */
  readonly isPrompt: boolean;
  readonly hasToolResults: boolean;
  readonly toolResults: readonly string[];
  readonly cwd?: string;
  readonly branch?: string;
  readonly atMs?: number;
}

export interface CostStateRecord {
  readonly kind: "cost-state";
  readonly models: readonly StatedSpend[];
}

/** Running totals of one model. */
export interface StatedSpend {
  readonly model: string;
  readonly usage: TokenUsage;
  readonly webSearches: number;
  readonly usd?: number;
}

export type ClaudeRecord =
  | AssistantRecord
  | UserRecord
  | CostStateRecord
  | { readonly kind: "error"; readonly sessionId?: string; readonly atMs?: number }
  | { readonly kind: "queue"; readonly atMs?: number }
  | {
      readonly kind: "other";
      readonly isChain: boolean;
      readonly sessionId?: string;
      readonly atMs?: number;
    };

/** @throws BadCount when a count of the record cannot be one */
export function readRecord(line: Fields): ClaudeRecord {
  const atMs = timeMs(line["timestamp"]);
  const at = atMs === undefined ? {} : { atMs };
  switch (line["type"]) {
    case "assistant":
      return readAssistant(line, atMs);
    case "user":
      return readUser(line, at);
    case "cost-state":
      return { kind: "cost-state", models: readStatedSpend(line["modelUsage"]) };
    case "queue-operation":
      return { kind: "queue", ...at };
    default:
      return {
        kind: "other",
        isChain: text(line["uuid"]) !== undefined,
        ...optional("sessionId", text(line["sessionId"])),
        ...at,
      };
  }
}

function readAssistant(line: Fields, atMs: number | undefined): ClaudeRecord {
  const message = fields(line["message"]);
  const usage = fields(message?.["usage"]);
  const model = text(message?.["model"]);
  const at = atMs === undefined ? {} : { atMs };
  if (model === SYNTHETIC || line["isApiErrorMessage"] === true)
    return { kind: "error", ...optional("sessionId", text(line["sessionId"])), ...at };
  if (message === undefined || usage === undefined) return { kind: "other", isChain: true, ...at };
  const { usage: tokens, tier, webSearches, advisors } = readSpent(usage);
  const record: { -readonly [K in keyof AssistantRecord]: AssistantRecord[K] } = {
    kind: "assistant",
    isSidechain: line["isSidechain"] === true,
    hasStopReason: text(message["stop_reason"]) !== undefined,
    model: model ?? "unknown",
    usage: tokens,
    webSearches,
    advisors,
    toolUses: blockIds(message["content"], "tool_use", "id"),
  };
  const messageId = text(message["id"]);
  const recordedUsd = number(line["costUSD"]);
  const branch = text(line["gitBranch"]);
  if (messageId !== undefined) record.messageId = messageId;
  if (tier !== undefined) record.tier = tier;
  if (recordedUsd !== undefined) record.recordedUsd = recordedUsd;
  if (branch !== undefined) record.branch = branch;
  if (atMs !== undefined) record.atMs = atMs;
  for (const key of RECORD_NAMES) {
    const value = text(line[key]);
    if (value !== undefined) record[key] = value;
  }
  return record;
}

/** Members that are called the same in the record. */
const RECORD_NAMES = [
  "uuid",
  "parentUuid",
  "sessionId",
  "requestId",
  "requestRef",
  "requestSessionId",
  "agentId",
  "cwd",
] as const;

/** @throws BadCount when a count cannot be one */
function readSpent(usage: Fields): SpentTokens {
  return {
    usage: readUsage(usage),
    ...optional("tier", tierOf(text(usage["speed"]), text(usage["service_tier"]))),
    webSearches: count(fields(usage["server_tool_use"])?.["web_search_requests"]) ?? 0,
    advisors: readAdvisors(usage),
  };
}

function readUser(line: Fields, at: { readonly atMs?: number }): UserRecord {
  const content = fields(line["message"])?.["content"];
  const toolResults = blockIds(content, "tool_result", "tool_use_id");
  return {
    kind: "user",
    ...optional("uuid", text(line["uuid"])),
    ...optional("sessionId", text(line["sessionId"])),
    ...optional("agentId", text(line["agentId"])),
    isSidechain: line["isSidechain"] === true,
    isPrompt: toolResults.length === 0 && line["isMeta"] !== true,
    hasToolResults: toolResults.length > 0,
    toolResults,
    ...optional("cwd", text(line["cwd"])),
    ...optional("branch", text(line["gitBranch"])),
    ...at,
  };
}

function blockIds(content: unknown, type: string, key: string): string[] {
  const ids: string[] = [];
  for (const block of list(content)) {
    const entry = fields(block);
    const id = entry?.["type"] === type ? text(entry[key]) : undefined;
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

/** The API's usage object as billing classes. */
export function readUsage(usage: Fields): TokenUsage {
  const split = fields(usage["cache_creation"]);
  return tokensOf({
    input: count(usage["input_tokens"]),
    written: count(usage["cache_creation_input_tokens"]),
    written5m: count(split?.["ephemeral_5m_input_tokens"]),
    written1h: count(split?.["ephemeral_1h_input_tokens"]),
    read: count(usage["cache_read_input_tokens"]),
    output: count(usage["output_tokens"]),
    thinking: count(fields(usage["output_tokens_details"])?.["thinking_tokens"]),
  });
}

function readAdvisors(usage: Fields): AssistantRecord["advisors"] {
  const advisors = [];
  for (const item of list(usage["iterations"])) {
    const entry = fields(item);
    if (entry?.["type"] === "advisor_message") {
      advisors.push({ model: text(entry["model"]) ?? "unknown", usage: readUsage(entry) });
    }
  }
  return advisors;
}

/** `modelUsage` of a cost-state record and of a result line. */
export function readStatedSpend(modelUsage: unknown): StatedSpend[] {
  const spend: StatedSpend[] = [];
  for (const [model, value] of Object.entries(fields(modelUsage) ?? {})) {
    const entry = fields(value);
    if (entry === undefined) continue;
    const writes = count(entry["cacheCreationInputTokens"]);
    const long = count(entry["cacheCreationEphemeral1hInputTokens"]);
    const short = count(entry["cacheCreationEphemeral5mInputTokens"]);
    spend.push({
      model,
      usage: {
        ...optional("inputTokens", count(entry["inputTokens"])),
        ...optional("cacheWrite5mTokens", short ?? (writes === undefined ? undefined : writes - (long ?? 0))),
        ...optional("cacheWrite1hTokens", long),
        ...optional("cacheReadTokens", count(entry["cacheReadInputTokens"])),
        ...optional("outputTokens", count(entry["outputTokens"])),
        ...optional("reasoningTokens", count(entry["thinkingTokens"])),
      },
      webSearches: count(entry["webSearchRequests"]) ?? 0,
      ...optional("usd", number(entry["costUSD"])),
    });
  }
  return spend;
}
