// An agent of the Agent Client Protocol, made with its own library. argv: what it does in its one turn.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const [what = "say", detail = ""] = process.argv.slice(2);
let cwd = "";
let isCanceled = () => undefined;
const canceled = new Promise((resolve) => {
  isCanceled = () => resolve({ stopReason: "cancelled" });
});

const say = (client, sessionId, text) =>
  client.notify("session/update", {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });

/** Asks first, as an agent should, and does it only on a yes. */
async function withLeave(client, sessionId, toolCall, act) {
  const options = [
    { optionId: "always", kind: "allow_always", name: "Always" },
    { optionId: "yes", kind: "allow_once", name: "Yes" },
    { optionId: "no", kind: "reject_once", name: "No" },
  ];
  const { outcome } = await client.request("session/request_permission", { sessionId, toolCall, options });
  if (outcome.outcome === "selected" && outcome.optionId === "yes") act();
  await say(client, sessionId, `${outcome.optionId ?? outcome.outcome}\n`);
}

async function work(client, sessionId, words) {
  const update = (body) => client.notify("session/update", { sessionId, update: body });
  switch (what) {
    case "edit": {
      const path = detail === "" ? join(cwd, "made.txt") : detail;
      const call = { toolCallId: "1", kind: "edit", title: `edit ${path}`, locations: [{ path }] };
      await withLeave(client, sessionId, call, () => writeFileSync(path, "made\n"));
      break;
    }
    case "run": {
      const call = { toolCallId: "1", kind: "execute", title: detail, rawInput: { command: detail } };
      await withLeave(client, sessionId, call, () => writeFileSync(join(cwd, "ran.txt"), "ran\n"));
      break;
    }
    case "usage":
      await update({
        sessionUpdate: "usage_update",
        used: 5,
        size: 9,
        cost: { amount: 0.25, currency: "USD" },
      });
      return { stopReason: "end_turn", usage: { totalTokens: 12, inputTokens: 9, outputTokens: 3 } };
    case "garbage":
      process.stdout.write("Loading plugins…\n{not json}\n[1,2]\n");
      await update({ sessionUpdate: "something_new", of: "a later version" });
      break;
    case "crash":
      await say(client, sessionId, "All done!");
      process.kill(process.pid, "SIGKILL");
      break;
    case "fail":
      throw new RequestError(Number(detail), "Internal error", { details: "429 Too Many Requests" });
    case "stop":
      return { stopReason: detail };
    case "hang":
      writeFileSync(join(cwd, "hanging"), "");
      return canceled;
  }
  await update({ sessionUpdate: "tool_call", toolCallId: "2", title: "look" });
  await say(client, sessionId, "I did ");
  await say(client, sessionId, words);
  return { stopReason: "end_turn" };
}

if (what === "deaf") setInterval(() => undefined, 1000);
else
  agent({ name: "scripted" })
    .onRequest("initialize", () => ({
      protocolVersion: what === "version" ? 7 : 1,
      agentCapabilities: { loadSession: true },
    }))
    .onRequest("session/new", ({ params }) => {
      if (what === "login") throw RequestError.authRequired();
      cwd = params.cwd;
      const models = [
        { value: "small", name: "Small" },
        { value: "large", name: "Large" },
      ];
      const model = { id: "m", name: "Model", category: "model", type: "select", currentValue: "small" };
      return { sessionId: "session-1", configOptions: [{ ...model, options: models }] };
    })
    .onRequest("session/load", ({ params }) => {
      cwd = params.cwd;
      return {};
    })
    .onRequest("session/set_config_option", ({ params }) => {
      writeFileSync(join(cwd, "model.txt"), String(params.value));
      return { configOptions: [] };
    })
    .onNotification("session/cancel", () => isCanceled())
    .onRequest("session/prompt", ({ params, client }) =>
      work(client, params.sessionId, params.prompt.map((part) => part.text).join("")),
    )
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
