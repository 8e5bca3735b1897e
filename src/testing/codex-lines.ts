/** Lines of Codex rollouts, as small as a reader needs them. */
export const HOME = "/home/dev";
export const SESSIONS = `${HOME}/.codex/sessions/2026/11/01`;

/** A thread id that ends in the given digits. */
export function threadId(n: number): string {
  return `01990000-0000-7000-8000-${String(n).padStart(12, "0")}`;
}

export function rolloutPath(n: number, folder = SESSIONS): string {
  return `${folder}/rollout-2026-11-01T10-00-${String(n).padStart(2, "0")}-${threadId(n)}.jsonl`;
}

export function line(
  type: string,
  payload: object,
  at = "2026-11-01T10:00:00.000Z",
  ordinal?: number,
): object {
  return { timestamp: at, ...(ordinal === undefined ? {} : { ordinal }), type, payload };
}

export function meta(n: number, more: object = {}, at?: string): object {
  return line("session_meta", { id: threadId(n), cwd: "/home/dev/p", source: "exec", ...more }, at);
}

export function turn(model: string): object {
  return line("turn_context", { model });
}

export interface Counts {
  readonly input: number;
  readonly cached?: number;
  readonly written?: number;
  readonly output: number;
  readonly reasoning?: number;
}

export function counter(counts: Counts): object {
  return {
    input_tokens: counts.input,
    cached_input_tokens: counts.cached ?? 0,
    ...(counts.written === undefined ? {} : { cache_write_input_tokens: counts.written }),
    output_tokens: counts.output,
    reasoning_output_tokens: counts.reasoning ?? 0,
    total_tokens: counts.input + counts.output,
  };
}

/** A `token_count` event. */
export function tokens(
  total: Counts | undefined,
  last: Counts | undefined,
  at?: string,
  ordinal?: number,
): object {
  const info = {
    ...(total === undefined ? {} : { total_token_usage: counter(total) }),
    ...(last === undefined ? {} : { last_token_usage: counter(last) }),
  };
  return line("event_msg", { type: "token_count", info }, at, ordinal);
}

/** A `token_usage_record`. */
export function billedResponse(n: number, response: string, usage: Counts, total: Counts): object {
  return line("token_usage_record", {
    thread_id: threadId(n),
    response_id: response,
    usage: counter(usage),
    thread_token_usage: counter(total),
  });
}
