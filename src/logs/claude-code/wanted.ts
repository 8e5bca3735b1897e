import type { SiftedKind } from "../sift/index.ts";

/** What `readRecord` reads of a record. */
export const CLAUDE_MEMBERS: SiftedKind = {
  keys: [
    ...["type", "uuid", "parentUuid", "sessionId", "timestamp", "cwd", "gitBranch", "agentId"],
    ...[
      "requestId",
      "requestRef",
      "requestSessionId",
      "isSidechain",
      "isMeta",
      "isApiErrorMessage",
      "costUSD",
    ],
    ...["message", "id", "model", "content", "tool_use_id", "stop_reason", "usage", "service_tier", "speed"],
    ...["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"],
    ...["output_tokens_details", "thinking_tokens", "iterations", "server_tool_use", "web_search_requests"],
    ...["cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"],
  ],
  notAsText: new Set(["message", "content"]),
  idle: new Set(),
  // Its members are called as the models are.
  whole: new Set(["cost-state"]),
};
