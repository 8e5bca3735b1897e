import { expect, test } from "vitest";
import { documentValue, readFeature } from "./task-types.ts";

test.each([
  ["size", "19", "xs"],
  ["size", "20", "s"],
  ["size", "1500", "xl"],
  ["size", "M", "m"],
  ["size", "huge", "unknown"],
  ["touches", "1", "one"],
  ["touches", "5", "few"],
  ["touches", "2-3", "few"],
  ["touches", "4+", "many"],
  ["touches", "6", "many"],
  ["has_tests", "Y", "yes"],
  ["has_tests", "0", "no"],
  ["has_tests", "maybe", "unknown"],
  ["lang", " Rust ", "rust"],
])("%s=%s reads as %s", (key, raw, value) => {
  expect(readFeature(key, raw)).toEqual({ key, value });
});

test("an undeclared feature is kept apart and never modelled", () => {
  expect(readFeature("team", "Core")).toEqual({ key: "extra:team", value: "core" });
});

test("run documents get the words of the protocol", () => {
  expect([documentValue("touches", "few"), documentValue("size", "m")]).toEqual(["2-3", "m"]);
});
