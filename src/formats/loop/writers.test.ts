import { expect, test } from "vitest";
import { withLine } from "../../testing/minimal-loop.ts";
import { type Loop, parseLoop, predictedOverlaps, sharedWriters } from "./index.ts";
import { filesWritten } from "./instruction-files.ts";

test.each([
  ["Write the report to out/report.md and cite docs/sources.json.", ["out/report.md"]],
  ["Read out/report.md. Say what is wrong.", []],
  ["Simplify ./src/parser/ and leave the rest.", ["src/parser/"]],
  ["Update package.json, e.g. its version 1.2.3.", ["package.json"]],
  ["Make the tests pass.", []],
])("what an instruction tells to write: %s", (instruction, files) => {
  expect(filesWritten(instruction)).toEqual(files);
});

async function loopOf(text: string): Promise<Loop> {
  const { loop, findings } = await parseLoop(text, "loop.yaml");
  if (loop === undefined) throw new Error(JSON.stringify(findings));
  return loop;
}

const twin = (more: string) =>
  withLine(
    "instruction: Make the failing tests pass without touching them.",
    "instruction: Write out/report.md about the tests.",
    `      - {id: twin, role: builder, instruction: Update out/report.md with the numbers., ${more}}`,
  );

test("two that may run together and write one file are named, apart or not", async () => {
  const overlap = [{ pieces: ["build", "twin"], files: ["out/report.md"] }];
  expect(predictedOverlaps(await loopOf(twin("isolation: {mode: none}")))).toEqual(overlap);
  expect(predictedOverlaps(await loopOf(twin("isolation: {mode: worktree}")))).toEqual(overlap);
  expect(sharedWriters(await loopOf(twin("isolation: {mode: none}")))).toEqual([
    { wave: 1, ids: ["build", "twin"] },
  ]);
});

test("one after the other they overlap with nobody, at any distance", async () => {
  expect(predictedOverlaps(await loopOf(twin("depends_on: [read]")))).toEqual([]);
});
