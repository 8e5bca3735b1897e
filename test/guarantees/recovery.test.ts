import { describe, expect, test } from "vitest";
import { answersOf, outcomesOf, retriesOf } from "../../src/commands/loop-recovery.ts";
import { instant } from "../../src/core/time.ts";
import { type Loop, parseLoop } from "../../src/formats/loop/index.ts";
import { afterFailure } from "../../src/run/retry.ts";
import { MINIMAL_LOOP } from "../../src/testing/minimal-loop.ts";
import { agentPiece, aSpec, Story } from "../../src/testing/session-story.ts";

const AT = "2026-01-01T00:00:00.000Z";
const TRANSIENT = { reason: "failed", kind: "transient", detail: "busy" } as const;
const ATTEMPT = Story.running().dispatch("work");

function delayMs(retry: number, more: Partial<Parameters<typeof afterFailure>[4]> = {}): number {
  const limits = { transientRetries: Number.POSITIVE_INFINITY, retryBaseMs: 2000, ...more };
  const after = afterFailure(ATTEMPT, TRANSIENT, AT, retry, limits);
  if (after.state !== "retrying") throw new Error(after.state);
  return Date.parse(after.notBefore) - Date.parse(AT);
}

async function loopWith(recovery: string): Promise<Loop> {
  const { loop } = await parseLoop(`${MINIMAL_LOOP}  recovery: {${recovery}}\n`, "loop.yaml");
  if (loop === undefined) throw new Error("unread");
  return loop;
}

describe("recovery", () => {
  test("the first retry waits exactly the base", () => {
    expect(delayMs(0)).toBe(2000);
    for (const retryBackoff of ["fixed", "linear"] as const) expect(delayMs(0, { retryBackoff })).toBe(2000);
  });

  test("exponential delay cannot overflow", () => {
    for (const retry of [1, 16, 1000, Number.MAX_SAFE_INTEGER]) {
      const delay = delayMs(retry);
      expect(delay).toBeLessThanOrEqual(60 * 60_000);
      expect(instant(Date.parse(AT) + delay)).toMatch(/^2026-01-01T0/);
    }
    expect([0, 1, 2].map((retry) => delayMs(retry))).toEqual([2000, 4000, 8000]);
    expect([0, 1, 2].map((retry) => delayMs(retry, { retryBackoff: "linear" }))).toEqual([2000, 4000, 6000]);
    expect([0, 1, 2].map((retry) => delayMs(retry, { retryBackoff: "fixed" }))).toEqual([2000, 2000, 2000]);
  });

  test("what a file says of retries is what happens, and the first attempt counts", async () => {
    const loop = await loopWith(
      "transient_error: {action: retry, max_attempts: 4, base_delay_seconds: 7, backoff: linear}",
    );
    expect(retriesOf(loop)).toEqual({ transientRetries: 3, retryBaseMs: 7000, retryBackoff: "linear" });
    expect(retriesOf(await loopWith("transient_error: {action: fallback}"))).toEqual({ transientRetries: 0 });
  });

  test("an exhausted node is escalated", async () => {
    expect(outcomesOf(await loopWith(""))).toEqual({
      ceiling: "paused",
      spent: "escalated",
      forbidden: "failed",
    });
    const stops = await loopWith("repeated_failure: {action: stop}, resource_exhaustion: {action: escalate}");
    expect(outcomesOf(stops)).toMatchObject({ spent: "failed", ceiling: "escalated" });
  });

  test("invalid output is revised so often in a row, then it is a no like another", async () => {
    const loop = await loopWith("invalid_output: {action: revise, max_attempts: 2}");
    const judge = { kind: "verdict", id: "verdict", of: "judge", dependsOn: ["judge"] } as const;
    const sendBack = ["work", "judge"];
    const spec = aSpec(
      [
        agentPiece("work"),
        agentPiece("judge", { dependsOn: ["work"] }),
        { ...judge, rule: { kind: "approve" }, onFail: { sendBack, rounds: 99 } },
      ],
      { ...answersOf(loop), maxIterations: 99 },
    );
    const story = Story.running(spec);
    const due: boolean[] = [];
    story.attempt("work");
    for (let n = 1; n <= 4; n += 1) {
      const attempt = story.attempt("judge");
      const { currentTree: tree } = story.state;
      const ruling = { said: "void", why: "no block" } as const;
      story.add({ type: "verdict:read", data: { piece: "verdict", iteration: n, attempt, tree, ruling } });
      due.push(story.state.pieces["work"]?.state === "pending");
      if (due.at(-1) === true) story.attempt("work");
    }
    expect(due).toEqual([false, true, false, true]);
  });

  test("a safety violation can never be configured to retry", async () => {
    for (const action of ["retry", "revise", "fallback"]) {
      const text = `${MINIMAL_LOOP}  recovery: {safety_violation: {action: ${action}}}\n`;
      const { findings } = await parseLoop(text, "loop.yaml");
      expect(findings.some(({ severity }) => severity === "error")).toBe(true);
    }
  });
});
