import type { SiftedKind } from "../sift/index.ts";

/** What `readRecord` and the parser read of a record. */
export const CODEX_MEMBERS: SiftedKind = {
  keys: [
    ...["timestamp", "ordinal", "type", "payload", "model", "thread_settings", "service_tier"],
    ...[
      "info",
      "total_token_usage",
      "last_token_usage",
      "thread_id",
      "response_id",
      "usage",
      "thread_token_usage",
    ],
    ...["id", "session_id", "parent_thread_id", "forked_from_id", "cwd", "source", "git", "branch"],
    ...["history_base", "end_ordinal_exclusive", "subagent_history_start_ordinal"],
    ...["forked_from_ordinal_exclusive"],
    ...["input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens"],
    ...["reasoning_output_tokens", "total_tokens"],
  ],
  notAsText: new Set(),
  // Nearly all of the bytes.
  idle: new Set(["response_item", "world_state", "compacted", "inter_agent_communication_metadata"]),
  whole: new Set(),
};
