import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { InvariantError } from "../../core/result.ts";
import type { TokenUsage } from "../../core/tokens.ts";
import { answerMessages, readMessages } from "./messages.ts";
import { answerResponses, readResponses } from "./responses.ts";
import { createPicker, type Reply, type ServerScript } from "./script.ts";

/** One model call as the server charged it. */
export interface Billed {
  readonly api: "messages" | "responses";
  readonly model: string;
  readonly tag?: string;
  readonly status: number;
  /** Absent when the call was refused or never finished. */
  readonly usage?: TokenUsage;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`; Codex wants `/v1` behind it. */
  readonly url: string;
  /** Every call in order of arrival. */
  readonly ledger: readonly Billed[];
  /** Bodies and headers of the calls, for tests that look at what an agent sent. */
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * A model provider on loopback that says what its script says and remembers what it billed: the Anthropic Messages
 * API under `/v1/messages` and the OpenAI Responses API under `.../responses`, both as server-sent events.
 */
export async function startModelServer(script: ServerScript): Promise<ModelServer> {
  const pick = createPicker(script);
  const ledger: Billed[] = [];
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://loopback").pathname;
    const body = await bodyOf(request);
    requests.push({ path, headers: plainHeaders(request), body });
    if (request.method !== "POST") return sendJson(response, 200, { object: "list", data: [], models: [] });
    if (path.endsWith("/count_tokens"))
      return sendJson(response, 200, { input_tokens: Math.ceil(body.length / 4) });
    if (path.endsWith("/v1/messages")) return serve("messages", body, response);
    if (path.endsWith("/responses")) return serve("responses", body, response);
    sendJson(response, 404, {});
  }

  function serve(api: Billed["api"], body: string, response: ServerResponse): void {
    const call = api === "messages" ? readMessages(body) : readResponses(body);
    const { reply, tag } = pick(call.turns);
    const entry = { api, model: modelOf(reply, call.model), ...(tag === undefined ? {} : { tag }) };
    switch (reply.kind) {
      case "error":
        ledger.push({ ...entry, status: reply.status });
        sendError(response, reply);
        break;
      case "hang":
        ledger.push({ ...entry, status: 200 });
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        break;
      case "answer": {
        ledger.push({ ...entry, status: 200, usage: reply.usage });
        const answer = { reply, model: entry.model, call, serial: ledger.length };
        if (api === "messages") answerMessages(response, answer);
        else answerResponses(response, answer);
      }
    }
  }

  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new InvariantError("no port on loopback");
  return {
    url: `http://127.0.0.1:${address.port}`,
    ledger,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function modelOf(reply: Reply, asked: string): string {
  return reply.kind === "answer" ? (reply.model ?? asked) : asked;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    const buffer = Buffer.from(part);
    bytes += buffer.length;
    if (bytes > BODY_LIMIT_BYTES) throw new InvariantError("request body over the limit");
    parts.push(buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}

function plainHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** The outer `type` is what the Messages API has and the Responses API ignores. */
function sendError(response: ServerResponse, reply: Extract<Reply, { kind: "error" }>): void {
  const error = { type: reply.type, message: reply.message, ...reply.more };
  response
    .writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
    .end(JSON.stringify({ type: "error", error }));
}
