import type { SiftedKind } from "../sift/index.ts";

function counterPaths<Name extends string>(name: Name, at: string) {
  return {
    [name]: at,
    [`${name}.input`]: `${at}.input_tokens`,
    [`${name}.cached`]: `${at}.cached_input_tokens`,
    [`${name}.written`]: `${at}.cache_write_input_tokens`,
    [`${name}.output`]: `${at}.output_tokens`,
    [`${name}.reasoning`]: `${at}.reasoning_output_tokens`,
    [`${name}.total`]: `${at}.total_tokens`,
  } as Record<CounterMember<Name>, string>;
}
/** A counter and its counts. */
type CounterMember<Name extends string> =
  | Name
  | `${Name}.${"input" | "cached" | "written" | "output" | "reasoning" | "total"}`;

/** What the short way takes of a record. */
export const CODEX_MEMBERS = {
  paths: {
    type: "type",
    ordinal: "ordinal",
    timestamp: "timestamp",
    payload: "payload",
    eventType: "payload.type",
    model: "payload.model",
    tier: "payload.thread_settings.service_tier",
    id: "payload.id",
    sessionId: "payload.session_id",
    parentThread: "payload.parent_thread_id",
    forkedFrom: "payload.forked_from_id",
    historyBase: "payload.history_base",
    spawnFrom: "payload.subagent_history_start_ordinal",
    forkFrom: "payload.forked_from_ordinal_exclusive",
    source: "payload.source",
    cwd: "payload.cwd",
    branch: "payload.git.branch",
    startedAt: "payload.timestamp",
    thread: "payload.thread_id",
    response: "payload.response_id",
    info: "payload.info",
    ...counterPaths("infoTotal", "payload.info.total_token_usage"),
    ...counterPaths("infoLast", "payload.info.last_token_usage"),
    ...counterPaths("usage", "payload.usage"),
    ...counterPaths("threadUsage", "payload.thread_token_usage"),
  },
  times: ["timestamp", "payload.timestamp"],
  // Counters are written again and again.
  kept: ["payload.info"],
  // Nearly all of the bytes.
  idle: new Set(["response_item", "world_state", "compacted", "inter_agent_communication_metadata"]),
  passed: {
    /** Counters are written once more than once. */
    repeats: {
      is: { type: "event_msg", eventType: "token_count" },
      same: ["payload", "info"],
      counts: ["ordinal"],
      time: "timestamp",
    },
  },
} as const satisfies SiftedKind<string, string>;

export type CodexMember = keyof typeof CODEX_MEMBERS.paths;
export type CodexRule = keyof typeof CODEX_MEMBERS.passed;
export type CounterName = "infoTotal" | "infoLast" | "usage" | "threadUsage";
