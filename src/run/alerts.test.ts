import { expect, test } from "vitest";
import type { LoopAlert } from "../formats/loop/index.ts";
import { aSpec, Story } from "../testing/session-story.ts";
import { dueAlerts } from "./alerts.ts";

function storyOf(...alerts: readonly LoopAlert[]): Story {
  return Story.running({ ...aSpec(), alerts });
}

function due(story: Story): readonly string[] {
  return dueAlerts(story.state, story.nowMs).map(({ id, message }) => `${id}: ${message}`);
}

test("an alert is due once a round was judged, and is raised once in a session, whatever restarts", () => {
  const story = storyOf({ id: "slow", metric: "iterations", above: 0 });
  story.attempt("work");
  expect(due(story)).toEqual([]);
  story.judge(false);
  expect(due(story)).toEqual(["slow: iterations is 1, above 0"]);
  story.add({ type: "alert:raised", data: { alert: "slow", value: 1, message: "slow" } });
  expect(due(story)).toEqual([]);
  expect(due(story.crash().stopAndResume())).toEqual([]);
});

test("a spend that is known in part shows an excess, and never that it is low", () => {
  const cost = { kind: "known", microUsd: 2_000_000, basis: "measured" } as const;
  for (const isWhole of [true, false]) {
    const story = storyOf(
      { id: "dear", metric: "cost_usd", above: 1, message: "too dear" },
      { id: "cheap", metric: "cost_usd", below: 5 },
    );
    story.attempt("work", undefined, {
      priced: [{ model: "m", usage: {}, cost }],
      ...(!isWhole && { usage: { kind: "unknown", why: "no log" } }),
    });
    story.judge(false);
    expect(due(story)).toEqual(["dear: too dear", ...(isWhole ? ["cheap: cost_usd is 2, below 5"] : [])]);
  }
});

test("failures, retries and the share of passing checks are measured, and what is unknown raises nothing", () => {
  const story = storyOf(
    { id: "failed", metric: "failed_dispatches", above: 1 },
    { id: "retried", metric: "retries", above: 0 },
    { id: "rate", metric: "validation_pass_rate", below: 0.6 },
    { id: "tokens", metric: "tokens_used", below: 10 },
  );
  story.attempt("work", { reason: "failed", kind: "transient", detail: "busy" });
  story.attempt("work", { reason: "timed-out" });
  expect(due(story)).toEqual([]);
  expect(dueAlerts(story.state, story.nowMs, true)).toHaveLength(2);
  story.judge(false);
  expect(due(story)).toEqual(["failed: failed_dispatches is 2, above 1", "retried: retries is 1, above 0"]);
  const target = { target: "goal", satisfied: false, reason: "" };
  story.judge(false, { targets: [{ ...target, passed: 1, failed: 1, uncheckable: 0 }] });
  expect(due(story)).toContain("rate: validation_pass_rate is 0.5, below 0.6");
});
