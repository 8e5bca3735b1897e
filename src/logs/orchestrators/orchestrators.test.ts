import { expect, test } from "vitest";
import { bytesOf } from "../../testing/memory-logs.ts";
import { mergePlain, type PlainFacts } from "../plain-calls.ts";
import { paseoParser } from "./index.ts";

function paseo(agent: object): PlainFacts {
  const parser = paseoParser("/home/dev/.paseo/agents/p/a1.json");
  parser.push(bytesOf([agent]));
  return parser.finish();
}

const AGENT = {
  id: "a1",
  provider: "claude",
  cwd: "/home/dev/p",
  createdAt: "2026-11-01T10:00:00.000Z",
  updatedAt: "2026-11-01T10:05:00.000Z",
  lastStatus: "closed",
  title: "secret title",
  config: { model: "claude-opus-5-5", thinkingOptionId: "high", systemPrompt: "secret prompt" },
  persistence: { provider: "claude", sessionId: "s1", nativeHandle: "s1" },
  runtimeInfo: { provider: "claude", sessionId: "s1" },
};

test("an agent of paseo names the session that it ran in when all its records agree", () => {
  const { sessions } = mergePlain("paseo", [paseo(AGENT)]);
  expect(sessions).toMatchObject([
    {
      id: "a1",
      cwd: "/home/dev/p",
      firstAtMs: Date.parse(AGENT.createdAt),
      lastAtMs: Date.parse(AGENT.updatedAt),
      reported: {
        state: "settled_unverified",
        harness: "claude",
        model: "claude-opus-5-5",
        effort: "high",
        agentSession: "s1",
      },
    },
  ]);
  expect(JSON.stringify(sessions)).not.toContain("secret");
});

test("an agent of paseo whose records disagree about its session names none", () => {
  const facts = paseo({ ...AGENT, runtimeInfo: { provider: "claude", sessionId: "s2" } });
  expect(facts.reported).not.toHaveProperty("agentSession");
});

test.each([undefined, "dreaming", 7])("an agent of paseo in state %s is refused, and named", (lastStatus) => {
  const facts = paseo({ ...AGENT, lastStatus });
  expect(facts.session).toBeUndefined();
  expect(facts.damaged.lines).toMatchObject([{ reason: "an agent without a known lastStatus" }]);
});
