import { expect, test } from "vitest";
import type { SessionLog } from "./call.ts";
import { packSummary, unpackSummary } from "./pack.ts";
import { summarise } from "./summary.ts";

/** Every member, so that one that comes later must be named here. */
const FULL: Required<SessionLog> = {
  agent: "codex",
  id: "s",
  root: "r",
  parent: "p",
  forkedFrom: "f",
  cwd: "/p",
  branch: "main",
  source: "exec",
  isArchived: true,
  isCompressed: true,
  files: ["a.jsonl"],
  firstAtMs: 1,
  lastAtMs: 2,
  calls: [],
  unlogged: [{ model: "m", usage: { inputTokens: 5 }, webSearches: 1 }],
  errors: 3,
  warnings: Array.from({ length: 30 }, (_, n) => `warning ${n}`),
  reported: { model: "m", state: "done" },
};
const BARE: SessionLog = {
  agent: "codex",
  id: "t",
  root: "t",
  isArchived: false,
  isCompressed: false,
  files: [],
  calls: [],
  errors: 0,
  warnings: [],
};

test("a summary is the same after it was packed and written, with all of its members or the fewest", () => {
  const logs = { sessions: [FULL, BARE], damaged: { lines: [{ path: "p", line: 1, reason: "x" }], more: 2 } };
  const written = JSON.stringify(packSummary("codex", logs));
  expect(unpackSummary(JSON.parse(written))).toEqual(summarise("codex", logs));
});
