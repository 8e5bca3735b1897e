import type { ServerResponse } from "node:http";
import type { TokenUsage } from "../../core/tokens.ts";
import {
  type Answer,
  type Call,
  contentText,
  type Loose,
  looseList,
  parseLoose,
  serialId,
  text,
} from "./call.ts";
import type { ToolCall, Turn } from "./script.ts";

const AGENT_ITEMS = ["function_call", "custom_tool_call", "local_shell_call", "reasoning"];

export function readResponses(body: string): Call {
  const request = parseLoose(body);
  const items = looseList(request["input"]);
  // Some versions announce tools inside the conversation instead of in `tools`.
  const announced = items.filter((item) => item["type"] === "additional_tools");
  return {
    model: text(request["model"]),
    stream: true,
    tools: [...toolNames(request), ...announced.flatMap(toolNames)],
    turns: items.map(turnOf),
  };
}

/** Namespaces hold tools of their own. */
function toolNames(holder: Loose): readonly string[] {
  return looseList(holder["tools"]).flatMap((tool) => [text(tool["name"]), ...toolNames(tool)]);
}

function turnOf(item: Loose): Turn {
  const type = text(item["type"]);
  if (AGENT_ITEMS.includes(type) || item["role"] === "assistant") return { from: "agent", text: "" };
  if (item["role"] === "user" || type === "agent_message") {
    return { from: "user", text: contentText(item["content"]) };
  }
  return { from: "other", text: "" };
}

export function answerResponses(response: ServerResponse, answer: Answer): void {
  const { reply, model, serial } = answer;
  const id = serialId("resp_", serial);
  let sequence = 0;
  response.setHeader("content-type", "text/event-stream");
  const send = (type: string, more: object) => {
    const event = { type, sequence_number: sequence++, ...more };
    response.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const whole = (status: string, output: readonly Loose[], usage: object | null) => ({
    response: { id, object: "response", created_at: 0, status, model, output, usage },
  });
  const items = itemsOf(answer);
  send("response.created", whole("in_progress", [], null));
  for (const [at, item] of items.entries()) {
    send("response.output_item.added", { output_index: at, item: opened(item) });
    if (item["type"] === "message" && reply.text !== undefined) {
      const place = { item_id: item["id"], output_index: at, content_index: 0 };
      send("response.output_text.delta", { ...place, delta: reply.text });
      send("response.output_text.done", { ...place, text: reply.text });
    }
    send("response.output_item.done", { output_index: at, item });
  }
  send("response.completed", whole("completed", items, usageOf(reply.usage)));
  response.end();
}

function itemsOf({ reply, serial, call }: Answer): readonly Loose[] {
  const items: Loose[] = [];
  if (reply.thinking !== undefined) {
    const summary = [{ type: "summary_text", text: reply.thinking }];
    const sealed = { content: [], encrypted_content: "ZW5jcnlwdGVk" };
    items.push({ type: "reasoning", id: serialId("rs_", serial), summary, ...sealed });
  }
  if (reply.text !== undefined) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    const id = serialId("msg_", serial);
    items.push({ type: "message", id, role: "assistant", status: "completed", content });
  }
  for (const [at, tool] of (reply.tools ?? []).entries()) {
    const call_id = serialId("call_", serial, at);
    items.push({ id: serialId("fc_", serial, at), call_id, status: "completed", ...toolOf(tool, call) });
  }
  return items;
}

function opened(item: Loose): Loose {
  return item["type"] === "message" ? { ...item, content: [], status: "in_progress" } : item;
}

/** The shell tool goes by another name in almost every version: take the one that was offered. */
function toolOf(tool: ToolCall, call: Call): Loose {
  if (tool.kind === "named") {
    return { type: "function_call", name: tool.name, arguments: JSON.stringify(tool.input) };
  }
  const cmd = JSON.stringify(tool.command);
  if (call.tools.includes("exec")) {
    const input = `const r = await tools.exec_command({cmd: ${cmd}}); text(r.output)`;
    return { type: "custom_tool_call", name: "exec", input };
  }
  const [name, input] = call.tools.includes("exec_command")
    ? ["exec_command", { cmd: tool.command }]
    : call.tools.includes("shell_command")
      ? ["shell_command", { command: tool.command }]
      : ["shell", { command: ["bash", "-lc", tool.command] }];
  return { type: "function_call", name, arguments: JSON.stringify(input) };
}

/** Here cached and written tokens are part of the input count. */
function usageOf(usage: TokenUsage): object {
  const cached = usage.cacheReadTokens ?? 0;
  const written = (usage.cacheWrite5mTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
  const input = (usage.inputTokens ?? 0) + cached + written;
  const output = usage.outputTokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, ...(written > 0 ? { cache_write_tokens: written } : {}) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: input + output,
  };
}
