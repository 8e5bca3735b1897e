import { describe, expect, test } from "vitest";
import { createColors } from "./colors.ts";
import { checkLabel, checkMark, clip, wrapTalk } from "./text.ts";

describe("a line of talk", () => {
  test("goes on under its text and not under its label", () => {
    expect(wrapTalk("goal     write all of it", 20)).toBe("goal     write all\n         of it");
  });

  test("keeps its indent", () =>
    expect(wrapTalk("    write all of it", 15)).toBe("    write all\n    of it"));

  test("that fits is left as it is", () => expect(wrapTalk("goal  write it", 80)).toBe("goal  write it"));
});

describe("a check in one line", () => {
  test("shows its reason rather than the end of a long command", () => {
    const line = checkLabel("npm run a-very-long-name-of-a-script", "2 of 9 tests fail", 40);
    expect(line).toBe("npm run a-very-long-…: 2 of 9 tests fail");
    expect([...line]).toHaveLength(40);
  });

  test("is cut where the reason is long, and never wider than asked", () => {
    expect([...checkLabel("npm test", "x".repeat(200), 60)]).toHaveLength(60);
  });

  test("has a mark for each verdict", () => {
    const colors = createColors(false);
    expect(["pass", "fail", "uncheckable"].map((verdict) => checkMark(verdict, colors)).join("")).toBe("✔✖?");
  });
});

test("control characters of an agent never reach the terminal", () => {
  const text = "a\u001b[2Jb\u009bc\rd";
  expect([clip(text, 80), wrapTalk(text, 80)]).toEqual(["a [2Jb c d", "a [2Jb c d"]);
});
