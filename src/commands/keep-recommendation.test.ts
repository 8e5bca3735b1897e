import { expect, test } from "vitest";
import { aRun } from "../testing/run-documents.ts";
import { CHOICE_EXT, takenByPeople } from "./keep-recommendation.ts";

test("what was taken without asking anybody does not count as a person's choice", () => {
  const took = (n: number, key: string, chosen_by: string) => {
    const document = aRun(n, "gpt-6-luna", true, 1);
    return { ...document, run: { ...document.run, ext: { [CHOICE_EXT]: { key, chosen_by } } } };
  };
  const runs = [
    took(1, "goal", "policy"),
    took(2, "goal", "policy"),
    took(3, "goal", "person"),
    took(4, "reference", "person"),
    aRun(5, "gpt-6-luna", true, 1),
  ];
  const { taken, byPolicy } = takenByPeople(runs);
  expect([...taken]).toEqual([
    ["goal", 1],
    ["reference", 1],
  ]);
  expect(byPolicy).toBe(2);
});
