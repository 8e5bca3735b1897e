import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { must } from "../../core/result.ts";
import { listenForWebhooks } from "./index.ts";

async function listener() {
  const opened = must(await listenForWebhooks({ names: ["deploy"], port: 0, token: "t0ken" }, () => 7));
  onTestFinished(() => opened.close());
  return opened;
}

function call(
  port: number,
  more: { path?: string; method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const { path = "/hooks/deploy", method = "POST", headers = {}, body = "{}" } = more;
  return new Promise<number | undefined>((done) => {
    const options = {
      port,
      host: "127.0.0.1",
      path,
      method,
      headers: { authorization: "Bearer t0ken", ...headers },
    };
    const sent = request(options, (response) => {
      response.resume();
      done(response.statusCode);
    });
    sent.on("error", () => done(undefined));
    sent.end(body);
  });
}

test("a call with the token counts once it is whole, under the key of its caller, and is taken once", async () => {
  const { port, take } = await listener();
  expect(await call(port, { headers: { "idempotency-key": "k1" } })).toBe(202);
  expect(await call(port)).toBe(202);
  expect(take("deploy")).toEqual([
    { id: "k1", at: 7 },
    { id: expect.stringMatching(/^[0-9a-f-]{36}$/), at: 7 },
  ]);
  expect(take("deploy")).toEqual([]);
});

test.each([
  ["without the token", { headers: { authorization: "Bearer other" } }, 401],
  ["for a name that no trigger has", { path: "/hooks/other" }, 404],
  ["that only asks", { method: "GET" }, 405],
  ["of a page in a browser", { headers: { origin: "http://localhost:3000" } }, 403],
  ["under a name that was rebound to this machine", { headers: { host: "evil.example:80" } }, 403],
  ["with more than a mebibyte", { body: "x".repeat(1024 * 1024 + 1) }, undefined],
] as const)("a call %s starts nothing", async (_what, more, status) => {
  const { port, take } = await listener();
  expect(await call(port, more)).toBe(status);
  expect(take("deploy")).toEqual([]);
});

test("a port that is taken is a problem", async () => {
  const { port } = await listener();
  const again = await listenForWebhooks({ names: [], port, token: "" }, () => 0);
  expect(again).toMatchObject({ ok: false, problem: { code: "bad-flag" } });
});
