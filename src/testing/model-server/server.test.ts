import { afterEach, expect, test } from "vitest";
import type { Reply, ServerScript } from "./script.ts";
import { type ModelServer, startModelServer } from "./server.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: ServerScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  servers.push(server);
  return server;
}

const answer = (text: string, outputTokens: number): Reply => ({
  kind: "answer",
  text,
  usage: { inputTokens: 3, cacheReadTokens: 5, outputTokens },
});

async function post(
  server: ModelServer,
  path: string,
  body: object,
): Promise<{ status: number; text: string }> {
  const response = await fetch(server.url + path, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

test("a tagged conversation walks through its replies by the agent's turns, the last one repeats", async () => {
  const server = await serve({ byTag: { a: [answer("one", 1), answer("two", 2)] } });
  const ask = async (messages: readonly object[]) =>
    (await post(server, "/v1/messages", { model: "m", stream: true, messages })).text;
  expect(await ask([user("go [t:a]")])).toContain('"text":"one"');
  expect(await ask([user("go [t:a]"), assistant("x"), user("y")])).toContain('"text":"two"');
  expect(await ask([user("[t:a]"), assistant("x"), user("y"), assistant("z"), user("w")])).toContain(
    '"text":"two"',
  );
  expect(server.ledger.map((call) => call.usage?.outputTokens)).toEqual([1, 2, 2]);
});

test("untagged calls take from the queue and then get small talk", async () => {
  const server = await serve({ byTag: {}, queue: [answer("queued", 4)] });
  const body = { model: "m", messages: [user("hi")] };
  expect((await post(server, "/v1/messages", body)).text).toContain("queued");
  expect((await post(server, "/v1/messages", body)).text).toContain('"text":"ok"');
});

test("both APIs state the usage that the ledger holds, each in its own terms", async () => {
  const server = await serve({ byTag: { a: [answer("x", 7)] } });
  const messages = await post(server, "/v1/messages", { model: "m", messages: [user("[t:a]")] });
  expect(JSON.parse(messages.text).usage).toMatchObject({ input_tokens: 3, cache_read_input_tokens: 5 });
  const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: "[t:a]" }] }];
  const responses = await post(server, "/v1/responses", { model: "n", input });
  expect(responses.text).toContain('"usage":{"input_tokens":8,"input_tokens_details":{"cached_tokens":5}');
  expect(server.ledger).toEqual([
    {
      api: "messages",
      model: "m",
      tag: "a",
      status: 200,
      usage: { inputTokens: 3, cacheReadTokens: 5, outputTokens: 7 },
    },
    {
      api: "responses",
      model: "n",
      tag: "a",
      status: 200,
      usage: { inputTokens: 3, cacheReadTokens: 5, outputTokens: 7 },
    },
  ]);
});

test("a refused call is in the ledger without usage", async () => {
  const refusal: Reply = { kind: "error", status: 429, type: "rate_limit_error", message: "slow down" };
  const server = await serve({ byTag: { a: [refusal] } });
  const { status, text } = await post(server, "/v1/messages", { model: "m", messages: [user("[t:a]")] });
  expect({ status, body: JSON.parse(text) }).toEqual({
    status: 429,
    body: { type: "error", error: { type: "rate_limit_error", message: "slow down" } },
  });
  expect(server.ledger).toEqual([{ api: "messages", model: "m", tag: "a", status: 429 }]);
});

test("a shell call uses the tool that the agent offers, also one inside a namespace", async () => {
  const call: Reply = { kind: "answer", tools: [{ kind: "shell", command: "ls" }], usage: {} };
  const server = await serve({ byTag: { a: [call] } });
  const ask = async (tools: readonly object[]) => {
    const input = [{ type: "message", role: "user", content: "[t:a]" }];
    return (await post(server, "/v1/responses", { model: "m", tools, input })).text;
  };
  expect(await ask([{ name: "functions", tools: [{ name: "exec" }] }])).toContain("custom_tool_call");
  expect(await ask([{ name: "shell_command" }])).toContain('"name":"shell_command"');
});

test("a hanging call ends when the server closes", async () => {
  const server = await startModelServer({ byTag: { a: [{ kind: "hang" }] } });
  const pending = post(server, "/v1/messages", { model: "m", stream: true, messages: [user("[t:a]")] });
  const outcome = pending.then(
    () => "answered",
    () => "cut",
  );
  while (server.ledger.length === 0) await new Promise((tick) => setTimeout(tick, 5));
  await server.close();
  expect(await outcome).toBe("cut");
});
