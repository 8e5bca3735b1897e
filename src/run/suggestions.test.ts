import { expect, test } from "vitest";
import { agentPiece, aSpec, gatePiece, Story } from "../testing/session-story.ts";
import { pieceText } from "./prompt.ts";
import { suggestionIn, suggestionsOf } from "./suggestions.ts";

test("the last line of the form counts, with its value as JSON", () => {
  const words = `PROPOSE a = 1
- PROPOSE execution.graph.nodes[b c].skills = ["pdf", "a=b"] [because: it was slow]
PROPOSE x = not json`;
  // A name with a blank is no word of a path.
  expect(suggestionIn(words)).toEqual({ path: "a", value: 1, because: "" });
  expect(suggestionIn(words.replace("b c", "b"))).toEqual({
    path: "execution.graph.nodes[b].skills",
    value: ["pdf", "a=b"],
    because: "it was slow",
  });
  expect(suggestionIn(`PROPOSE a = "${"x".repeat(5000)}"`)).toBeUndefined();
});

test("only builders and the like are asked, only where the loop may change, and only they are heard", () => {
  const judge = agentPiece("judge", { answers: "judgement", judges: [] });
  const plain = aSpec([agentPiece("work"), judge, gatePiece(["work"])]);
  const story = (maySuggest: boolean): Story => {
    const told = Story.running({ ...plain, ...(maySuggest && { maySuggest: true }) });
    for (const id of ["work", "judge"]) told.attempt(id, undefined, { summary: `PROPOSE ${id} = 1` });
    return told;
  };
  expect(suggestionsOf(story(false).state)).toEqual([]);
  expect(suggestionsOf(story(true).state)).toEqual([{ path: "work", value: 1, because: "", piece: "work" }]);
  const told = (id: "work" | "judge", maySuggest: boolean): boolean =>
    pieceText(story(maySuggest).state, id === "work" ? agentPiece("work") : judge, "", false).prompt.includes(
      "PROPOSE",
    );
  expect([told("work", true), told("work", false), told("judge", true)]).toEqual([true, false, false]);
});
