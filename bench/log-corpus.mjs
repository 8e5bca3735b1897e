import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Writes a corpus of agent logs whose bill is known, because this generator decides it. Equal seeds and sizes give
 * equal bytes. Shapes follow what the programs write: several records a call, tool results that dwarf them, sub-agents
 * in files of their own, forks that copy history, repeated counters.
 */

const KINDS = ["input", "cacheWrite5m", "cacheWrite1h", "cacheRead", "output"];

function dice(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(next() * n);
  const hex = (n) => Array.from({ length: n }, () => "0123456789abcdef"[below(16)]).join("");
  return {
    next,
    below,
    between: (low, high) => low + below(high - low),
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}

const WORDS =
  'const return import { await } => function "usage": {"type":"assistant"} // if (x === "a\\b") \n\t throw new Error(`no path`); test expect 0x0a ünïcode 日本 export interface readonly string number'.split(
    " ",
  );

/** Escaped JSON text, cut from one long piece, as code and tool output look in a log. */
function prose(roll) {
  let long = "";
  while (long.length < 400_000) long += `${WORDS[roll.below(WORDS.length)]} `;
  return (length) => {
    const start = roll.below(long.length - length - 1);
    return JSON.stringify(long.slice(start, start + length)).slice(1, -1);
  };
}

/** Most outputs are short, some are long. */
function outputLength(roll) {
  return Math.min(60_000, Math.floor(200 * Math.exp(roll.next() * roll.next() * 5.5)));
}

class Truth {
  constructor() {
    this.calls = 0;
    this.sessions = 0;
    this.files = 0;
    this.bytes = 0;
    for (const kind of KINDS) this[kind] = 0;
  }
  add(usage) {
    this.calls += 1;
    for (const kind of KINDS) this[kind] += usage[kind] ?? 0;
  }
}

function writeFile(truth, path, lines) {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  writeSync(file, bytes);
  closeSync(file);
  truth.files += 1;
  truth.bytes += bytes.length;
}

const CLAUDE_MODELS = ["claude-opus-5-5", "claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5-20251001"];
const START_MS = Date.UTC(2026, 8, 1);

/** One conversation: the lines of its file. Each call's usage goes to the truth once. */
function conversation(roll, say, truth, { session, cwd, model, agent, calls }) {
  const lines = [];
  let atMs = START_MS + roll.below(80 * 86_400_000);
  let parent = null;
  let context = roll.between(8_000, 20_000);
  const envelope = (uuid, type) => {
    atMs += roll.between(200, 9_000);
    const side = agent === undefined ? '"isSidechain":false' : `"isSidechain":true,"agentId":"${agent}"`;
    const kind = `"type":"${type}",`;
    const isUser = type === "user";
    const head = `{"parentUuid":${parent === null ? "null" : `"${parent}"`},${side},${isUser ? kind : ""}`;
    const tail = `${isUser ? "" : kind}"uuid":"${uuid}","timestamp":"${new Date(atMs).toISOString()}","userType":"external","entrypoint":"cli","cwd":"${cwd}","sessionId":"${session}","version":"2.1.320","gitBranch":"main"}`;
    parent = uuid;
    return { head, tail };
  };
  const prompt = () => {
    const { head, tail } = envelope(roll.uuid(), "user");
    lines.push(
      `${head}"promptId":"${roll.uuid()}","message":{"role":"user","content":"${say(roll.between(40, 600))}"},${tail}`,
    );
  };
  prompt();
  for (let i = 0; i < calls; i += 1) {
    const fresh = roll.between(200, 3_000);
    const usage = {
      input: roll.between(2, 40),
      cacheWrite5m: roll.below(5) === 0 ? fresh : 0,
      cacheRead: context,
      output: roll.between(20, 2_500),
    };
    usage.cacheWrite1h = fresh - usage.cacheWrite5m;
    context += fresh;
    truth.add(usage);
    const id = `msg_01${roll.hex(22)}`;
    const request = `"requestId":"req_011C${roll.hex(20)}","requestRef":"${roll.uuid()}",`;
    const tool = `toolu_01${roll.hex(22)}`;
    const usageText = `{"input_tokens":${usage.input},"cache_creation_input_tokens":${fresh},"cache_read_input_tokens":${usage.cacheRead},"output_tokens":${usage.output},"output_tokens_details":{"thinking_tokens":${usage.output >> 2}},"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":${usage.cacheWrite1h},"ephemeral_5m_input_tokens":${usage.cacheWrite5m}},"inference_geo":"not_available","iterations":[],"speed":"standard"}`;
    const blocks = [
      `{"type":"thinking","thinking":"${say(roll.between(100, 1_500))}","signature":"${roll.hex(200)}"}`,
      `{"type":"text","text":"${say(roll.between(40, 800))}"}`,
      `{"type":"tool_use","id":"${tool}","name":"Edit","input":{"file_path":"${cwd}/src/a.ts","old_string":"${say(outputLength(roll) >> 1)}","new_string":"${say(outputLength(roll) >> 1)}"}}`,
    ].slice(roll.below(3));
    for (const block of blocks) {
      const { head, tail } = envelope(roll.uuid(), "assistant");
      lines.push(
        `${head}"message":{"id":"${id}","type":"message","role":"assistant","model":"${model}","content":[${block}],"stop_reason":"tool_use","stop_sequence":null,"usage":${usageText}},${request}${tail}`,
      );
    }
    const { head, tail } = envelope(roll.uuid(), "user");
    const output = say(outputLength(roll));
    lines.push(
      `${head}"message":{"role":"user","content":[{"tool_use_id":"${tool}","type":"tool_result","content":"${output}","is_error":false}]},"toolUseResult":{"stdout":"${output}","stderr":"","interrupted":false},${tail}`,
    );
    if (roll.below(12) === 0) prompt();
  }
  return lines;
}

/** A fork starts with the parent's records under its own session id and says who made them. */
function forked(lines, parent, child) {
  return lines.map((line) => {
    const own = line.replace(`"sessionId":"${parent}"`, `"sessionId":"${child}"`);
    return own.includes('"type":"assistant"') ? `${own.slice(0, -1)},"requestSessionId":"${parent}"}` : own;
  });
}

export function writeClaudeCorpus(home, { bytes, seed = 1 }) {
  const roll = dice(seed);
  const say = prose(roll);
  const truth = new Truth();
  while (truth.bytes < bytes) {
    const session = roll.uuid();
    const cwd = `/home/dev/project-${roll.below(40)}`;
    const model = CLAUDE_MODELS[roll.below(CLAUDE_MODELS.length)];
    const folder = join(home, "projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-"));
    const lines = conversation(roll, say, truth, { session, cwd, model, calls: roll.between(3, 50) });
    truth.sessions += 1;
    writeFile(truth, join(folder, `${session}.jsonl`), lines);
    for (let i = roll.below(5); i > 2; i -= 1) {
      const agent = roll.hex(17);
      const inner = { session, cwd, model, agent, calls: roll.between(3, 25) };
      writeFile(
        truth,
        join(folder, session, "subagents", `agent-${agent}.jsonl`),
        conversation(roll, say, truth, inner),
      );
    }
    if (roll.below(30) === 0) {
      const child = roll.uuid();
      const own = conversation(roll, say, truth, { session: child, cwd, model, calls: roll.between(3, 20) });
      const history = forked(lines.slice(0, lines.length >> 1), session, child);
      truth.sessions += 1;
      writeFile(truth, join(folder, `${child}.jsonl`), [...history, ...own]);
    }
  }
  return truth;
}

const CODEX_MODELS = ["gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"];

function counter(c, isNew) {
  const written = isNew ? '"cache_write_input_tokens":0,' : "";
  return `{"input_tokens":${c.input},"cached_input_tokens":${c.cached},${written}"output_tokens":${c.output},"reasoning_output_tokens":${c.reasoning},"total_tokens":${c.input + c.output}}`;
}

/** One thread. Half of the history is by writers of 2025, which know counters only and state each of them twice. */
function rollout(roll, say, truth, thread, atStartMs) {
  const isNew = roll.below(2) === 0;
  const lines = [];
  let atMs = atStartMs;
  const line = (type, payload, more = "") => {
    atMs += roll.between(50, 4_000);
    const ordinal = isNew ? `"ordinal":${lines.length},` : "";
    lines.push(
      `{"timestamp":"${new Date(atMs).toISOString()}",${ordinal}"type":"${type}","payload":${payload}${more}}`,
    );
  };
  const thing = { roll, say, line, thread, cwd: `/home/dev/project-${roll.below(40)}` };
  thing.model = CODEX_MODELS[roll.below(CODEX_MODELS.length)];
  const ids = isNew ? `"session_id":"${thread}",` : "";
  line(
    "session_meta",
    `{${ids}"id":"${thread}","timestamp":"${new Date(atMs).toISOString()}","cwd":"${thing.cwd}","originator":"codex_exec","cli_version":"${isNew ? "0.171.0" : "0.98.0"}","source":"exec","base_instructions":{"text":"${say(12_000)}"},"git":{"branch":"main"}}`,
  );
  const total = { input: 0, cached: 0, output: 0, reasoning: 0 };
  let context = 6_000;
  const spend = () => {
    const last = {
      input: context + roll.between(200, 3_000),
      output: roll.between(20, 1_500),
      cached: context,
    };
    last.reasoning = last.output >> 2;
    context = last.input;
    truth.add({ input: last.input - last.cached, cacheRead: last.cached, output: last.output });
    for (const key of Object.keys(total)) total[key] += last[key];
    return last;
  };
  for (let turn = roll.between(1, 6); turn > 0; turn -= 1) {
    const calls = Array.from({ length: roll.between(2, 25) });
    (isNew ? newTurn : oldTurn)(thing, total, calls, spend);
  }
  return lines;
}

function message(role, text) {
  const kind = role === "assistant" ? "output_text" : "input_text";
  return `{"type":"message","role":"${role}","content":[{"type":"${kind}","text":"${text}"}]}`;
}

function tokenCount(total, last, isNew) {
  return `{"type":"token_count","info":{"total_token_usage":${counter(total, isNew)},"last_token_usage":${counter(last, isNew)},"model_context_window":258400},"rate_limits":{"limit_id":"codex","limit_name":null,"primary":null,"secondary":null,"credits":null,"plan_type":null}}`;
}

/** As 0.98 writes: the counters before and after each call, and the turn's context each time. */
function oldTurn({ roll, say, line, cwd, model }, total, calls, spend) {
  const context = () =>
    line(
      "turn_context",
      `{"cwd":"${cwd}","approval_policy":"never","sandbox_policy":{"type":"danger-full-access"},"model":"${model}","personality":"pragmatic","effort":"medium","summary":"auto","truncation_policy":{"mode":"tokens","limit":10000}}`,
    );
  const prompt = say(roll.between(40, 600));
  line("response_item", message("user", prompt));
  line("event_msg", `{"type":"user_message","message":"${prompt}","images":[],"local_images":[]}`);
  context();
  let last;
  for (const _ of calls) {
    if (last !== undefined) line("event_msg", tokenCount(total, last, false));
    last = spend();
    const thought = say(roll.between(20, 200));
    line("event_msg", `{"type":"agent_reasoning","text":"${thought}"}`);
    line(
      "response_item",
      `{"type":"reasoning","summary":[{"type":"summary_text","text":"${thought}"}],"encrypted_content":"${roll.hex(roll.between(400, 1_600))}"}`,
    );
    const id = `call_${roll.hex(24)}`;
    line(
      "response_item",
      `{"type":"function_call","name":"exec_command","arguments":"${say(outputLength(roll) >> 1)}","call_id":"${id}"}`,
    );
    line("event_msg", tokenCount(total, last, false));
    line(
      "response_item",
      `{"type":"function_call_output","call_id":"${id}","output":"${say(outputLength(roll))}"}`,
    );
    context();
  }
}

/** As 0.171 writes: each item once for the model and once for whoever watches, and a record of each call's usage. */
function newTurn({ roll, say, line, thread, cwd, model }, total, calls, spend) {
  const turn = roll.uuid();
  const sent = `,"metadata":{"history_sequence":8,"sampled_through_sequence":7,"client_authored":false,"model_search_state":"unused"}`;
  const item = (payload) =>
    line(
      "response_item",
      `${payload.slice(0, -1)},"internal_chat_message_metadata_passthrough":{"turn_id":"${turn}"}}`,
      sent,
    );
  const completed = (what) =>
    line(
      "event_msg",
      `{"type":"item_completed","thread_id":"${thread}","turn_id":"${turn}","item":${what},"started_at_ms":1795983763285,"completed_at_ms":1795983763300}`,
    );
  line(
    "event_msg",
    `{"type":"task_started","turn_id":"${turn}","root_turn_id":"${turn}","started_at":1795983762,"model_context_window":258400,"collaboration_mode_kind":"default"}`,
  );
  line(
    "turn_context",
    `{"turn_id":"${turn}","root_turn_id":"${turn}","cwd":"${cwd}","approval_policy":"never","approvals_reviewer":"user","permission_profile":{"type":"disabled"},"model":"${model}","personality":"pragmatic","effort":"medium","summary":"auto","truncation_policy":{"mode":"tokens","limit":10000}}`,
  );
  line(
    "event_msg",
    `{"type":"thread_settings_applied","thread_id":"${thread}","thread_settings":{"model":"${model}","model_provider_id":"openai","approval_policy":"never","approvals_reviewer":"user","permission_profile":{"type":"disabled"},"cwd":"${cwd}","reasoning_effort":"medium","personality":"pragmatic"}}`,
  );
  const prompt = say(roll.between(40, 600));
  item(message("user", prompt));
  completed(`{"type":"UserMessage","id":"${roll.uuid()}","content":[{"type":"text","text":"${prompt}"}]}`);
  for (const _ of calls) {
    const last = spend();
    const thought = say(roll.between(20, 200));
    const reasoning = `rs_${roll.hex(20)}`;
    completed(`{"type":"Reasoning","id":"${reasoning}","summary_text":["${thought}"],"raw_content":[]}`);
    item(
      `{"type":"reasoning","id":"${reasoning}","summary":[{"type":"summary_text","text":"${thought}"}],"encrypted_content":"${roll.hex(roll.between(400, 1_600))}"}`,
    );
    const id = `call_${roll.hex(24)}`;
    const input = say(outputLength(roll) >> 1);
    item(
      `{"type":"custom_tool_call","id":"ctc_${roll.hex(20)}","status":"completed","call_id":"${id}","name":"exec","input":"${input}"}`,
    );
    line(
      "token_usage_record",
      `{"thread_id":"${thread}","turn_id":"${turn}","session_id":"${thread}","root_turn_id":"${turn}","response_id":"resp_${roll.hex(20)}","usage":${counter(last, true)},"turn_token_usage":${counter(total, true)},"thread_token_usage":${counter(total, true)}}`,
    );
    const output = say(outputLength(roll));
    completed(
      `{"type":"CommandExecution","id":"exec-${roll.uuid()}","process_id":"38076","command":["/bin/bash","-lc","${input}"],"cwd":"file://${cwd}","parsed_cmd":[{"type":"unknown","cmd":"${input}"}],"source":"unified_exec_startup","status":"completed","aggregated_output":"${output}","exit_code":0,"duration":{"secs":0,"nanos":15530863}}`,
    );
    item(
      `{"type":"custom_tool_call_output","id":"ctco_${roll.uuid()}","call_id":"${id}","output":[{"type":"input_text","text":"Script completed\\nWall time 0.3 seconds\\nOutput:\\n"},{"type":"input_text","text":"${output}"}]}`,
    );
    line("event_msg", tokenCount(total, last, true));
  }
  const answer = say(roll.between(40, 600));
  completed(
    `{"type":"AgentMessage","id":"msg_${roll.hex(20)}","content":[{"type":"Text","text":"${answer}"}]}`,
  );
  item(message("assistant", answer));
  line(
    "event_msg",
    `{"type":"task_complete","turn_id":"${turn}","root_turn_id":"${turn}","last_agent_message":"${answer}","duration_ms":833}`,
  );
}

export function writeCodexCorpus(home, { bytes, seed = 2 }) {
  const roll = dice(seed);
  const say = prose(roll);
  const truth = new Truth();
  while (truth.bytes < bytes) {
    const thread = roll.uuid();
    const atMs = START_MS + roll.below(80 * 86_400_000);
    const at = new Date(atMs).toISOString();
    const folder = join(home, "sessions", at.slice(0, 10).replaceAll("-", "/"));
    truth.sessions += 1;
    writeFile(
      truth,
      join(folder, `rollout-${at.slice(0, 19).replaceAll(":", "-")}-${thread}.jsonl`),
      rollout(roll, say, truth, thread, atMs),
    );
  }
  return truth;
}

/** Many short sessions, and one line that no string can hold. */
export function writeTinyFiles(home, { files, seed = 3 }) {
  const roll = dice(seed);
  const say = prose(roll);
  const truth = new Truth();
  while (truth.files < files) {
    const session = roll.uuid();
    const cwd = `/home/dev/tiny-${roll.below(20)}`;
    const folder = join(home, "projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-"));
    const lines = conversation(roll, say, truth, { session, cwd, model: CLAUDE_MODELS[0], calls: 1 });
    truth.sessions += 1;
    writeFile(truth, join(folder, `${session}.jsonl`), lines);
  }
  return truth;
}

export function writeLongLine(home, { bytes }) {
  const roll = dice(4);
  const truth = new Truth();
  const session = roll.uuid();
  const path = join(home, "projects", "-home-dev-long", `${session}.jsonl`);
  const inner = { session, cwd: "/home/dev/long", model: CLAUDE_MODELS[0], calls: 2 };
  writeFile(truth, path, conversation(roll, prose(roll), truth, inner));
  truth.sessions += 1;
  const file = openSync(path, "a");
  writeSync(file, '{"type":"file-history-snapshot","snapshot":"');
  const filler = Buffer.alloc(1 << 20, "x");
  for (let written = 0; written < bytes; written += filler.length) writeSync(file, filler);
  writeSync(file, '"}\n');
  closeSync(file);
  truth.bytes += bytes;
  return truth;
}
