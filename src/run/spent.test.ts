import { describe, expect, test } from "vitest";
import type { UsageReport } from "../ports/provider.ts";
import { agentPiece, aSpec, gatePiece, Story } from "../testing/session-story.ts";
import { decide } from "./decide.ts";
import type { AttemptEnded } from "./events.ts";

const NO_TOKENS_KNOWN: UsageReport = { kind: "unknown", why: "no usage was reported" };
const DONE = { reason: "done" } as const;
const OPEN = { targets: [target("goal", false)] };

function target(name: string, satisfied: boolean) {
  return { target: name, satisfied, passed: 0, failed: 1, uncheckable: 0, reason: "" };
}

function used(inputTokens: number): Partial<AttemptEnded> {
  return { priced: [{ model: "m", usage: { inputTokens }, cost: { kind: "unknown", why: "no-price" } }] };
}

function next(story: Story) {
  return decide(story.state, story.nowMs);
}

/** Does what is skipped, as the engine would, until something else is due. */
function settle(story: Story) {
  for (let decision = next(story); ; decision = next(story)) {
    if (decision.action !== "skip") return decision;
    story.add(
      ...decision.pieces.map(({ id, because, stands }) => ({
        type: "piece:skipped" as const,
        data: { piece: id, because, ...(stands !== undefined && { stands }) },
      })),
    );
  }
}

describe("a piece with a token limit", () => {
  const capped = (more: Partial<ReturnType<typeof aSpec>> = {}) =>
    Story.running({
      ...aSpec([agentPiece("work", { maxTokens: 100 }), agentPiece("other"), gatePiece(["work", "other"])]),
      ...more,
    });

  test("is begun again below it and not any more at it, and what it did before stands", () => {
    const story = capped();
    story.attempt("work", DONE, used(60));
    story.attempt("other");
    story.judge(false);
    expect(settle(story)).toEqual({ action: "dispatch", pieces: ["work"] });
    story.attempt("work", DONE, used(40));
    story.attempt("other");
    story.judge(false);
    expect(settle(story)).toEqual({ action: "dispatch", pieces: ["other"] });
    expect(story.state.notices).toEqual(["work is not sent back again: its 100 tokens are spent"]);
    expect(story.state.pieces["work"]).toMatchObject({ state: "succeeded" });
  });

  test("is not begun again when nobody knows what it has spent, unless that was allowed", () => {
    for (const allowUnknownCost of [false, true]) {
      const story = capped({ allowUnknownCost });
      story.attempt("work", DONE, { usage: NO_TOKENS_KNOWN });
      story.attempt("other");
      story.judge(false);
      expect(settle(story)).toMatchObject({ pieces: allowUnknownCost ? ["work"] : ["other"] });
    }
  });

  test("counts over a crash and a resume", () => {
    const story = capped();
    story.attempt("work", DONE, used(100));
    story.attempt("other");
    story.judge(false).crash().stopAndResume();
    expect(settle(story)).toEqual({ action: "dispatch", pieces: ["other"] });
  });
});

describe("a piece whose rounds leave its goals open", () => {
  const two = () =>
    Story.running(
      aSpec([agentPiece("stuck", { goals: ["goal"] }), agentPiece("other"), gatePiece(["stuck", "other"])], {
        maxRevisions: 2,
        noProgressIterations: 0,
      }),
    );
  const round = (story: Story, said: Parameters<Story["judge"]>[1]) => {
    for (const id of ["stuck", "other"]) {
      if (story.state.pieces[id]?.state === "pending") story.attempt(id);
    }
    story.judge(false, said);
  };

  test("stops being sent back after so many, while the run goes on", () => {
    const story = two();
    round(story, OPEN);
    expect(settle(story)).toEqual({ action: "dispatch", pieces: ["stuck"] });
    round(story, OPEN);
    expect(settle(story)).toEqual({ action: "dispatch", pieces: ["other"] });
  });

  test("is never held back once its goals are reached", () => {
    const story = two();
    round(story, OPEN);
    round(story, { targets: [target("goal", true), target("more", false)] });
    expect(settle(story)).toEqual({ action: "dispatch", pieces: ["stuck"] });
  });

  test("ends the session at once when nobody else can mend it, and raising the limit lets it go on", () => {
    const story = Story.running(
      aSpec([agentPiece("stuck", { goals: ["goal"] }), gatePiece(["stuck"])], { maxRevisions: 1 }),
    );
    story.attempt("stuck");
    story.judge(false, OPEN);
    expect(next(story)).toEqual({ action: "stop", reason: { why: "pieces-spent", pieces: ["stuck"] } });
    story.stopAndResume({ maxRevisions: 2 });
    story.add(
      { type: "session:moved", data: { from: "validating", to: "planning", why: "resume" } },
      { type: "session:moved", data: { from: "planning", to: "running", why: "planned" } },
    );
    expect(settle(story)).toEqual({ action: "dispatch", pieces: ["stuck"] });
  });
});
