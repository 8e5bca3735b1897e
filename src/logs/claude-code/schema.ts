import type { TokenUsage } from "../../core/tokens.ts";
import { count, type Fields, fields, list, number, optional, text, timeMs } from "../fields.ts";
import { idHash } from "../text-hash.ts";
import { type SpentTokens, tierOf, tokensOf } from "./spent.ts";

/** The model name on records that the program made itself: errors, interrupts. Never billed. */
export const SYNTHETIC = "<synthetic>";

/**
 * Every member is there, if only as undefined: objects of one shape are read several times as fast. Ids are hashes, but
 * for those of sessions and subagents.
 */
export interface AssistantRecord extends SpentTokens {
  readonly kind: "assistant";
  readonly uuid: number | undefined;
  readonly parentUuid: number | undefined;
  readonly sessionId: string | undefined;
  readonly messageId: number | undefined;
  readonly requestId: number | undefined;
  readonly requestRef: number | undefined;
  readonly requestSessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly isSidechain: boolean;
  readonly hasStopReason: boolean;
  readonly model: string;
  readonly toolUses: readonly string[];
  readonly recordedUsd: number | undefined;
  readonly cwd: string | undefined;
  readonly branch: string | undefined;
  readonly atMs: number | undefined;
}

export interface UserRecord {
  readonly kind: "user";
  readonly uuid: string | undefined;
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly isSidechain: boolean;
  /** Something a person or the parent agent said, rather than tool results alone. */
  readonly isPrompt: boolean;
  readonly hasToolResults: boolean;
  readonly toolResults: readonly string[];
  readonly cwd: string | undefined;
  readonly branch: string | undefined;
  readonly atMs: number | undefined;
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
  | { readonly kind: "error"; readonly sessionId: string | undefined; readonly atMs: number | undefined }
  | { readonly kind: "queue"; readonly atMs: number | undefined }
  | {
      readonly kind: "other";
      readonly isChain: boolean;
      readonly sessionId: string | undefined;
      readonly atMs: number | undefined;
    };

/** @throws BadCount when a count of the record cannot be one */
export function readRecord(line: Fields): ClaudeRecord {
  const atMs = timeMs(line["timestamp"]);
  switch (line["type"]) {
    case "assistant":
      return readAssistant(line, atMs);
    case "user":
      return readUser(line, atMs);
    case "cost-state":
      return { kind: "cost-state", models: readStatedSpend(line["modelUsage"]) };
    case "queue-operation":
      return { kind: "queue", atMs };
    default:
      return {
        kind: "other",
        isChain: text(line["uuid"]) !== undefined,
        sessionId: text(line["sessionId"]),
        atMs,
      };
  }
}

function readAssistant(line: Fields, atMs: number | undefined): ClaudeRecord {
  const message = fields(line["message"]);
  const usage = fields(message?.["usage"]);
  const model = text(message?.["model"]);
  if (model === SYNTHETIC || line["isApiErrorMessage"] === true)
    return { kind: "error", sessionId: text(line["sessionId"]), atMs };
  if (message === undefined || usage === undefined)
    return { kind: "other", isChain: true, sessionId: undefined, atMs };
  return {
    kind: "assistant",
    uuid: idHash(text(line["uuid"]), "u"),
    parentUuid: idHash(text(line["parentUuid"]), "u"),
    sessionId: text(line["sessionId"]),
    messageId: idHash(text(message["id"]), "m"),
    requestId: idHash(text(line["requestId"]), "q"),
    requestRef: idHash(text(line["requestRef"]), "r"),
    requestSessionId: text(line["requestSessionId"]),
    agentId: text(line["agentId"]),
    isSidechain: line["isSidechain"] === true,
    hasStopReason: text(message["stop_reason"]) !== undefined,
    model: model ?? "unknown",
    toolUses: blockIds(message["content"], "tool_use", "id"),
    recordedUsd: number(line["costUSD"]),
    cwd: text(line["cwd"]),
    branch: text(line["gitBranch"]),
    atMs,
    ...readSpent(usage),
  };
}

/** @throws BadCount when a count cannot be one */
function readSpent(usage: Fields): SpentTokens {
  return {
    usage: readUsage(usage),
    tier: tierOf(text(usage["speed"]), text(usage["service_tier"])),
    webSearches: count(fields(usage["server_tool_use"])?.["web_search_requests"]) ?? 0,
    advisors: readAdvisors(usage),
  };
}

function readUser(line: Fields, atMs: number | undefined): UserRecord {
  const content = fields(line["message"])?.["content"];
  const toolResults = blockIds(content, "tool_result", "tool_use_id");
  return {
    kind: "user",
    uuid: text(line["uuid"]),
    sessionId: text(line["sessionId"]),
    agentId: text(line["agentId"]),
    isSidechain: line["isSidechain"] === true,
    isPrompt: toolResults.length === 0 && line["isMeta"] !== true,
    hasToolResults: toolResults.length > 0,
    toolResults,
    cwd: text(line["cwd"]),
    branch: text(line["gitBranch"]),
    atMs,
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
    spend.push({
      model,
      usage: tokensOf({
        input: count(entry["inputTokens"]),
        written: count(entry["cacheCreationInputTokens"]),
        written5m: count(entry["cacheCreationEphemeral5mInputTokens"]),
        written1h: count(entry["cacheCreationEphemeral1hInputTokens"]),
        read: count(entry["cacheReadInputTokens"]),
        output: count(entry["outputTokens"]),
        thinking: count(entry["thinkingTokens"]),
      }),
      webSearches: count(entry["webSearchRequests"]) ?? 0,
      ...optional("usd", number(entry["costUSD"])),
    });
  }
  return spend;
}
