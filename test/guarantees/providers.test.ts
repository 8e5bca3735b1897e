import { expect, test } from "vitest";
import { candidatesOf, parseLoop } from "../../src/formats/loop/index.ts";
import { missingVariables } from "../../src/run/environment.ts";
import { withLine } from "../../src/testing/minimal-loop.ts";

test("missing env names only the key", () => {
  const env = ["TOKEN", "EMPTY", "SET"];
  expect(missingVariables({ EMPTY: "", SET: "secret" }, { env })).toEqual(["TOKEN"]);
  expect(missingVariables({}, {})).toEqual([]);
});

test("pinning bypasses it", async () => {
  const text = withLine("role: builder", "role: builder", "        provider: codex").replace(
    "  providers:\n    providers:",
    "  providers:\n    cascade: {standard: [claude, codex]}\n    providers:",
  );
  const { loop } = await parseLoop(text, "loop.yaml");
  if (loop === undefined) throw new Error("unread");
  const ids = loop.pieces.map((piece) => candidatesOf(loop, piece).map(({ id }) => id));
  expect(ids).toEqual([["codex"], ["claude", "codex"]]);
});
