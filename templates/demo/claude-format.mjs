// The stream and the session log of Claude Code's headless mode, as far as readers of them care.
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const VERSION = "2.1.332";
const CLASSES = ["inputTokens", "cacheWrite5mTokens", "cacheWrite1hTokens", "cacheReadTokens", "outputTokens"];

/**
 * One run of an agent. `print` takes one line of the stream. The log goes below `configDir`, and nowhere when it is absent.
 * `before` is what the session had used in earlier runs: stated totals are cumulative over a session.
 */
export function openClaudeRun({ sessionId, cwd, model, print, configDir, before = {} }) {
  const log = configDir === undefined ? () => {} : openLog({ configDir, cwd, sessionId });
  const total = { ...before };
  const own = {};
  let calls = 0;
  let turns = 0;
  print({
    type: "system",
    subtype: "init",
    cwd,
    session_id: sessionId,
    tools: ["Bash", "Edit", "Read", "Write"],
    model,
    permissionMode: "acceptEdits",
    claude_code_version: VERSION,
    uuid: randomUUID(),
  });

  /** One model call of one content block. The stream states the output count as of its start, the log the final one. */
  function call(block, usage, stopReason) {
    calls += 1;
    for (const name of CLASSES) {
      own[name] = (own[name] ?? 0) + (usage[name] ?? 0);
      total[name] = (total[name] ?? 0) + (usage[name] ?? 0);
    }
    const message = { id: `msg_${sessionId}_${process.pid}_${calls}`, type: "message", role: "assistant", model };
    const requestId = `req_${sessionId}_${process.pid}_${calls}`;
    const head = { ...message, content: [block], stop_sequence: null };
    const early = { ...head, stop_reason: null, usage: wireUsage({ ...usage, outputTokens: 1 }) };
    print({
      type: "assistant",
      message: early,
      parent_tool_use_id: null,
      session_id: sessionId,
      uuid: randomUUID(),
      request_id: requestId,
    });
    log("assistant", { ...head, stop_reason: stopReason, usage: wireUsage(usage) }, { requestId });
  }

  return {
    prompt(text) {
      log("user", { role: "user", content: text });
    },
    say(text, usage) {
      turns += 1;
      call({ type: "text", text }, usage, "end_turn");
    },
    tool(name, input, result, usage) {
      turns += 1;
      const id = `toolu_${process.pid}_${calls + 1}`;
      call({ type: "tool_use", id, name, input }, usage, "tool_use");
      const message = { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] };
      print({ type: "user", message, parent_tool_use_id: null, session_id: sessionId, uuid: randomUUID() });
      log("user", message);
    },
    /** The closing line; `error` is `{ text, status?, type?, terminalReason? }`. */
    finish(text, error) {
      print({
        type: "result",
        subtype: "success",
        is_error: error !== undefined,
        api_error_status: error?.status ?? null,
        ...(error?.type === undefined ? {} : { api_error_type: error.type }),
        terminal_reason: error === undefined ? "completed" : (error.terminalReason ?? "api_error"),
        result: error?.text ?? text,
        session_id: sessionId,
        num_turns: Math.max(turns, 1),
        usage: wireUsage(own),
        modelUsage: calls === 0 && Object.keys(before).length === 0 ? {} : { [model]: statedUsage(total) },
        permission_denials: [],
        uuid: randomUUID(),
      });
      return total;
    },
  };
}

function openLog({ configDir, cwd, sessionId }) {
  const folder = join(configDir, "projects", cwd.replace(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  let parentUuid = null;
  return (type, message, more = {}) => {
    const uuid = randomUUID();
    const record = {
      parentUuid,
      isSidechain: false,
      type,
      message,
      ...more,
      uuid,
      timestamp: new Date().toISOString(),
      userType: "external",
      entrypoint: "sdk-cli",
      cwd,
      sessionId,
      version: VERSION,
      gitBranch: "HEAD",
    };
    appendFileSync(join(folder, `${sessionId}.jsonl`), `${JSON.stringify(record)}\n`);
    parentUuid = uuid;
  };
}

function wireUsage(usage) {
  const fiveMinutes = usage.cacheWrite5mTokens ?? 0;
  const oneHour = usage.cacheWrite1hTokens ?? 0;
  return {
    input_tokens: usage.inputTokens ?? 0,
    cache_creation_input_tokens: fiveMinutes + oneHour,
    cache_read_input_tokens: usage.cacheReadTokens ?? 0,
    cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour },
    output_tokens: usage.outputTokens ?? 0,
    service_tier: "standard",
  };
}

function statedUsage(usage) {
  const fiveMinutes = usage.cacheWrite5mTokens ?? 0;
  const oneHour = usage.cacheWrite1hTokens ?? 0;
  return {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    cacheReadInputTokens: usage.cacheReadTokens ?? 0,
    cacheCreationInputTokens: fiveMinutes + oneHour,
    cacheCreationEphemeral5mInputTokens: fiveMinutes,
    cacheCreationEphemeral1hInputTokens: oneHour,
    webSearchRequests: 0,
  };
}
