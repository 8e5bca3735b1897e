import type { ServerResponse } from "node:http";
import type { TokenUsage } from "../../core/tokens.ts";
import { type Answer, type Call, contentText, looseList, parseLoose, serialId, text } from "./call.ts";
import type { ToolCall } from "./script.ts";

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

export function readMessages(body: string): Call {
  const request = parseLoose(body);
  return {
    model: text(request["model"]),
    stream: request["stream"] === true,
    tools: looseList(request["tools"]).map((tool) => text(tool["name"])),
    turns: looseList(request["messages"]).map((message) => ({
      from: message["role"] === "assistant" ? "agent" : "user",
      text: contentText(message["content"]),
    })),
  };
}

export function answerMessages(response: ServerResponse, answer: Answer): void {
  const { reply, model, serial } = answer;
  const blocks = blocksOf(answer);
  const stop = (reply.tools?.length ?? 0) > 0 ? "tool_use" : "end_turn";
  const head = { id: serialId("msg_01", serial), type: "message", role: "assistant", model };
  response.setHeader("request-id", serialId("req_01", serial));
  if (!answer.call.stream) {
    const whole = { ...head, content: blocks, stop_reason: stop, stop_sequence: null };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...whole, usage: usageOf(reply.usage, reply.usage.outputTokens ?? 0) }));
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  const send = (type: string, more: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const opening = { content: [], stop_reason: null, stop_sequence: null, usage: usageOf(reply.usage, 1) };
  send("message_start", { message: { ...head, ...opening } });
  for (const [index, block] of blocks.entries()) {
    send("content_block_start", { index, content_block: emptied(block) });
    for (const delta of deltasOf(block)) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason: stop, stop_sequence: null },
    usage: usageOf(reply.usage, reply.usage.outputTokens ?? 0),
  });
  send("message_stop", {});
  response.end();
}

function blocksOf({ reply, serial }: Answer): readonly Block[] {
  const blocks: Block[] = [];
  if (reply.thinking !== undefined) {
    blocks.push({ type: "thinking", thinking: reply.thinking, signature: "c2lnbmF0dXJl" });
  }
  if (reply.text !== undefined) blocks.push({ type: "text", text: reply.text });
  for (const [at, tool] of (reply.tools ?? []).entries()) {
    blocks.push({ type: "tool_use", id: serialId("toolu_01", serial, at), ...toolOf(tool) });
  }
  return blocks;
}

function toolOf(tool: ToolCall): { readonly name: string; readonly input: unknown } {
  if (tool.kind === "named") return { name: tool.name, input: tool.input };
  return { name: "Bash", input: { command: tool.command, description: "run a command" } };
}

function emptied(block: Block): object {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (block.type === "text") return { type: "text", text: "" };
  return { ...block, input: {} };
}

function deltasOf(block: Block): readonly object[] {
  if (block.type === "text") return [{ type: "text_delta", text: block.text }];
  if (block.type === "tool_use") {
    return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  }
  return [
    { type: "thinking_delta", thinking: block.thinking },
    { type: "signature_delta", signature: block.signature },
  ];
}

function usageOf(usage: TokenUsage, outputTokens: number): object {
  const fiveMinutes = usage.cacheWrite5mTokens ?? 0;
  const oneHour = usage.cacheWrite1hTokens ?? 0;
  return {
    input_tokens: usage.inputTokens ?? 0,
    cache_creation_input_tokens: fiveMinutes + oneHour,
    cache_read_input_tokens: usage.cacheReadTokens ?? 0,
    cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour },
    output_tokens: outputTokens,
    service_tier: "standard",
  };
}
