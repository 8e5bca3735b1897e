import fc from "fast-check";
import { expect, test } from "vitest";
import { fillTemplate } from "./template.ts";

const values = { prompt: "", system: "", model: "", piece: "", node: "", tier: "" };

test("text that is put in is never filled again", () => {
  expect(
    fillTemplate("{prompt}/{tier}", { ...values, prompt: "use {tier} and {system}", tier: "strong" }),
  ).toBe("use {tier} and {system}/strong");
});

test("what is no placeholder stays as it is", () => {
  expect(
    fillTemplate(["{unknown} {{prompt}} $", "{model}"].join(""), { ...values, prompt: "p", model: "$&" }),
  ).toBe("{unknown} {p} $$&");
});

test("a template of one placeholder gives exactly the value", () => {
  fc.assert(
    fc.property(fc.string(), (prompt) => {
      expect(fillTemplate("{prompt}", { ...values, prompt })).toBe(prompt);
    }),
  );
});
