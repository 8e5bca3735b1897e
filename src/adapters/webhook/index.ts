import { randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sha256 } from "../../core/hash.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { WebhookCall, WebhookListener, WebhookRequest } from "../../ports/webhook.ts";

const LOOPBACK = "127.0.0.1";
const LARGEST_BODY = 1024 * 1024;
const PATIENCE_MS = 10_000;
/** Nobody needs more than the newest of a flood. */
const MOST_WAITING = 1000;
const KEY_HEADERS = ["idempotency-key", "x-github-delivery"];

/** Problem: `bad-flag` when the port is taken. */
export async function listenForWebhooks(
  { names, port, token }: WebhookRequest,
  now: () => number,
): Promise<Result<WebhookListener>> {
  const waiting = new Map<string, WebhookCall[]>(names.map((name) => [name, []]));
  const server = createServer((request, response) => {
    const status = statusOf(request, waiting, token);
    if (status !== 202) return end(request, response, status);
    drain(request, () => {
      const calls = waiting.get(nameOf(request));
      calls?.push({ id: idOf(request), at: now() });
      if (calls !== undefined && calls.length > MOST_WAITING) calls.shift();
      end(request, response, 202);
    });
  });
  server.headersTimeout = PATIENCE_MS;
  server.requestTimeout = PATIENCE_MS;
  if (!(await listens(server, port)))
    return fail("bad-flag", `port ${port} of this machine cannot be listened on`);
  return ok({
    port: (server.address() as AddressInfo).port,
    take: (name) => waiting.get(name)?.splice(0) ?? [],
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  });
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((done) => {
    server.once("error", () => done(false));
    server.listen(port, LOOPBACK, () => done(true));
  });
}

/** A browser's page says where it comes from; a rebound name says what it was asked for. Neither is let in. */
function statusOf(request: IncomingMessage, names: ReadonlyMap<string, unknown>, token: string): number {
  const { host = "", origin } = request.headers;
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host) || origin !== undefined) return 403;
  if (request.method !== "POST") return 405;
  if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`)) return 401;
  return names.has(nameOf(request)) ? 202 : 404;
}

function isSame(shown: string, asked: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(shown)), Buffer.from(sha256(asked)));
}

function nameOf({ url = "" }: IncomingMessage): string {
  const [path = ""] = url.split("?");
  return path.startsWith("/hooks/") ? path.slice("/hooks/".length) : "";
}

function idOf({ headers }: IncomingMessage): string {
  const key = KEY_HEADERS.map((name) => headers[name]).find((value) => typeof value === "string");
  return typeof key === "string" && key.trim() !== "" ? key.trim().slice(0, 200) : randomUUID();
}

function drain(request: IncomingMessage, done: () => void): void {
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY) request.destroy();
  });
  request.on("end", done);
}

function end(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { "content-length": "0", connection: "close" }).end();
}
