import { describe, expect, test } from "vitest";
import type { Cost } from "../../src/core/money.ts";
import { dueAlerts } from "../../src/run/alerts.ts";
import { decide } from "../../src/run/decide.ts";
import { LIFECYCLE } from "../../src/run/lifecycle.ts";
import type { Limits } from "../../src/run/spec.ts";
import { aSpec, Story, treeId } from "../../src/testing/session-story.ts";

const HOUR_MS = 60 * 60_000;
const USD: Cost = { kind: "known", microUsd: 1_000_000, basis: "estimated" };

function afterOneRound(limits: Partial<Limits>): Story {
  const story = Story.running(aSpec(undefined, limits));
  story.attempt("work", undefined, {
    usage: { kind: "known", provenance: "estimated", models: [] },
    priced: [{ model: "m", usage: { inputTokens: 100 }, cost: USD }],
  });
  return story.judge(false);
}
const why = (story: Story) => {
  const decision = decide(story.state, story.nowMs);
  return decision.action === "stop" ? decision.reason.why : decision.action;
};

describe("a session stops", () => {
  test("each budget fires on its own", () => {
    expect(why(afterOneRound({}))).toBe("dispatch");
    expect(why(afterOneRound({ maxTokens: 100 }))).toBe("tokens");
    expect(why(afterOneRound({ maxMicroUsd: 1_000_000 }))).toBe("spend");
    expect(why(afterOneRound({ maxIterations: 1 }))).toBe("iterations");
    expect(why(afterOneRound({ maxRunningMs: HOUR_MS }).pass(HOUR_MS))).toBe("running-time");
  });

  test("the token budget can fire on estimates", () => {
    expect(why(afterOneRound({ maxTokens: 99 }))).toBe("tokens");
  });

  test("the cost ceiling fires when a rate is set", () => {
    expect(why(afterOneRound({ maxMicroUsd: 999_999 }))).toBe("spend");
    expect(why(afterOneRound({ maxMicroUsd: 1_000_001 }))).toBe("dispatch");
  });

  test("0 disables no-progress", () => {
    const rounds = (noProgressIterations: number) => {
      const story = Story.running(aSpec(undefined, { noProgressIterations, maxIterations: 100 }));
      for (let n = 0; n < 8; n += 1) {
        story.attempt("work", undefined, { after: treeId("same") });
        story.judge(false, { tree: treeId("same") });
        if (why(story) !== "dispatch") break;
      }
      return why(story);
    };
    expect(rounds(3)).toBe("no-progress");
    expect(rounds(0)).toBe("dispatch");
  });

  test("a check that passes while another breaks is a change", () => {
    const story = Story.running(aSpec(undefined, { noProgressIterations: 1 }));
    const said = (check: string, verdict: "pass" | "fail") =>
      ({ check, verdict, blocking: true, why: "", evidence: { notes: [] } }) as never;
    for (const [a, b] of [
      ["pass", "fail"],
      ["fail", "pass"],
    ] as const) {
      story.attempt("work", undefined, { after: treeId("same") });
      story.judge(false, { tree: treeId("same"), checks: [said("a", a), said("b", b)] });
      expect(why(story)).toBe("dispatch");
    }
  });
});

describe("a state", () => {
  test("every state round-trips through its name", () => {
    for (const name of LIFECYCLE) {
      const state = { ...Story.running().state, lifecycle: name };
      expect(JSON.parse(JSON.stringify(state)).lifecycle).toBe(name);
    }
    expect(new Set(LIFECYCLE).size).toBe(LIFECYCLE.length);
  });

  test("an alert is raised once however often it is looked at, and a resume does not raise it again", () => {
    const story = Story.running({ ...aSpec(), alerts: [{ id: "a", metric: "iterations", above: 0 }] });
    story.attempt("work");
    story.judge(false);
    expect(dueAlerts(story.state, story.nowMs)).toHaveLength(1);
    story.add({ type: "alert:raised", data: { alert: "a", value: 1, message: "" } }).stopAndResume();
    expect(dueAlerts(story.state, story.nowMs)).toEqual([]);
  });
});
