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

type CountName<Name extends string> = Exclude<CounterMember<Name>, Name>;

function countsIn<Name extends CounterName>(name: Name): readonly CountName<Name>[] {
  return COUNTS.map((count) => `${name}.${count}` as CountName<Name>);
}
const COUNTS = ["input", "cached", "written", "output", "reasoning", "total"] as const;

function counterColumns<A extends CounterName, B extends CounterName>(first: A, second: B) {
  const columns = [...countsIn(first), ...countsIn(second)].map((of) => [of, { as: "count", of }] as const);
  return Object.fromEntries(columns) as Record<
    CountName<A> | CountName<B>,
    { as: "count"; of: CountName<A> | CountName<B> }
  >;
}

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
    /** Counters of both kinds, or of those that the last one had. */
    counts: {
      is: { type: "event_msg", eventType: "token_count" },
      same: ["payload", "infoTotal", "infoLast"],
      fresh: "info",
      counts: ["ordinal", ...countsIn("infoTotal"), ...countsIn("infoLast")],
      time: "timestamp",
      columns: {
        atMs: { as: "time", of: "timestamp" },
        ordinal: { as: "count", of: "ordinal" },
        ...counterColumns("infoTotal", "infoLast"),
      },
      settles: "repeats",
    },
    /** Responses of one thread. */
    usages: {
      is: { type: "token_usage_record" },
      same: ["payload", "thread", "usage", "threadUsage"],
      counts: ["ordinal", ...countsIn("usage"), ...countsIn("threadUsage")],
      plain: ["response"],
      time: "timestamp",
      columns: {
        atMs: { as: "time", of: "timestamp" },
        response: { as: "hash", of: "response", kind: "p" },
        ...counterColumns("usage", "threadUsage"),
      },
    },
    /** The model once more. */
    contexts: {
      is: { type: "turn_context" },
      same: ["payload", "model"],
      counts: ["ordinal"],
      time: "timestamp",
    },
    /** The tier once more. */
    settings: {
      is: { type: "event_msg", eventType: "thread_settings_applied" },
      same: ["payload", "tier"],
      counts: ["ordinal"],
      time: "timestamp",
    },
    /** Other events: only the time counts. */
    events: {
      is: { type: "event_msg" },
      isNot: { eventType: ["token_count", "thread_settings_applied"] },
      same: ["payload"],
      counts: ["ordinal"],
      time: "timestamp",
    },
  },
} as const satisfies SiftedKind<string, string>;

export type CodexMember = keyof typeof CODEX_MEMBERS.paths;
export type CodexRule = keyof typeof CODEX_MEMBERS.passed;
export type CounterName = "infoTotal" | "infoLast" | "usage" | "threadUsage";
