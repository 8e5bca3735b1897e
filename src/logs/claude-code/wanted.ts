import type { SiftedKind } from "../sift/index.ts";

const NAMED_TYPES = ["assistant", "user", "cost-state", "queue-operation"] as const;

/** What the short way takes of a record. */
export const CLAUDE_MEMBERS = {
  paths: {
    type: "type",
    uuid: "uuid",
    parentUuid: "parentUuid",
    sessionId: "sessionId",
    timestamp: "timestamp",
    cwd: "cwd",
    gitBranch: "gitBranch",
    agentId: "agentId",
    requestId: "requestId",
    requestRef: "requestRef",
    requestSessionId: "requestSessionId",
    isSidechain: "isSidechain",
    isMeta: "isMeta",
    isApiErrorMessage: "isApiErrorMessage",
    costUSD: "costUSD",
    message: "message",
    messageId: "message.id",
    model: "message.model",
    stopReason: "message.stop_reason",
    block: "message.content[]",
    blockType: "message.content[].type",
    toolUseId: "message.content[].tool_use_id",
    usage: "message.usage",
    input: "message.usage.input_tokens",
    written: "message.usage.cache_creation_input_tokens",
    written5m: "message.usage.cache_creation.ephemeral_5m_input_tokens",
    written1h: "message.usage.cache_creation.ephemeral_1h_input_tokens",
    read: "message.usage.cache_read_input_tokens",
    output: "message.usage.output_tokens",
    thinking: "message.usage.output_tokens_details.thinking_tokens",
    webSearches: "message.usage.server_tool_use.web_search_requests",
    iterations: "message.usage.iterations",
    speed: "message.usage.speed",
    serviceTier: "message.usage.service_tier",
  },
  times: ["timestamp"],
  // The records of one call repeat its usage.
  kept: ["message.usage"],
  idle: new Set<string>(),
  passed: {
    /** Answers of tools, which are counted. */
    results: {
      is: { type: "user" },
      same: ["sessionId", "cwd", "gitBranch"],
      time: "timestamp",
      holds: { element: "block", member: "blockType", text: "tool_result", other: "toolUseId" },
    },
    /** Further records of a call whose request has a name of its own. */
    repeats: {
      isMore: true,
      is: { type: "assistant" },
      same: [
        ...["requestRef", "messageId", "requestId", "requestSessionId", "sessionId", "cwd", "gitBranch"],
        ...["message", "model", "usage", "stopReason", "costUSD", "isApiErrorMessage"],
      ] as const,
      time: "timestamp",
      isLater: true,
    },
    /** Calls whose requests have names of their own, made by whom the last one was made. */
    calls: {
      is: { type: "assistant" },
      same: [
        ...["sessionId", "requestSessionId", "cwd", "gitBranch", "agentId", "isSidechain", "message"],
        ...["model", "speed", "serviceTier", "iterations", "costUSD", "isApiErrorMessage"],
      ] as const,
      fresh: "usage",
      counts: [
        ...["input", "written", "written5m", "written1h", "read", "output", "thinking", "webSearches"],
      ] as const,
      given: ["requestRef"],
      plain: ["messageId", "requestId"],
      time: "timestamp",
      columns: {
        ref: { as: "hash", of: "requestRef", kind: "r" },
        message: { as: "hash", of: "messageId", kind: "m" },
        request: { as: "hash", of: "requestId", kind: "q" },
        isStopped: { as: "tells", of: "stopReason" },
        atMs: { as: "time", of: "timestamp" },
        input: { as: "count", of: "input" },
        written: { as: "count", of: "written" },
        written5m: { as: "count", of: "written5m" },
        written1h: { as: "count", of: "written1h" },
        read: { as: "count", of: "read" },
        output: { as: "count", of: "output" },
        thinking: { as: "count", of: "thinking" },
        webSearches: { as: "count", of: "webSearches" },
      },
      settles: "repeats",
    },
    /** Other records of the conversation: only the time counts. */
    others: {
      isNot: { type: NAMED_TYPES },
      given: ["uuid"],
      same: ["sessionId"],
      time: "timestamp",
    },
    /** What lies beside the conversation. */
    beside: { isNot: { type: NAMED_TYPES }, absent: ["uuid"], same: [] },
    /** Once the conversation has begun they say nothing. */
    queued: { is: { type: "queue-operation" }, same: [] },
  },
} as const satisfies SiftedKind<string, string>;

export type ClaudeMember = keyof typeof CLAUDE_MEMBERS.paths;
export type ClaudeRule = keyof typeof CLAUDE_MEMBERS.passed;
