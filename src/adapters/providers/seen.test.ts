import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { acpStream } from "../../logs/acp/stream.ts";
import { claudeStream } from "../../logs/claude-code/stream.ts";
import { codexStream } from "../../logs/codex/stream.ts";
import type { ProcessEnd } from "../../ports/process.ts";
import { createProviders } from "./index.ts";

// What Claude Code 2.1.332 and Codex 0.171.0 printed for answers of a model server; see seen/README.md.
const SEEN = join(import.meta.dirname, "seen");
const NOW = Date.parse("2026-11-30T10:33:40Z");
const providers = createProviders({
  claudeStream,
  codexStream,
  acpStream,
  acpBridge: [],
  which: (command) => `/bin/${command}`,
  path: "/bin",
  run: async () => undefined,
});
const task = {
  prompt: "p",
  system: "",
  piece: "implement",
  tier: "standard",
  cwd: "/",
  permission: "edit",
  sessionId: "9f0f2d4e-7d5c-4d3a-9a53-4a6d1a2b3c4d",
  isolated: false,
} as const;

function endOf(name: string, end: ProcessEnd = { kind: "exited", exitCode: 1 }) {
  const kind = name.startsWith("claude") ? "claude-code" : "codex";
  const reader = must(providers.make(must(providers.parse(kind)))).reader(task);
  reader.push(readFileSync(join(SEEN, `${name}.jsonl`)), "stdout");
  return reader.finish(end, NOW);
}

test("a subscription's limit waits until the moment that the stream states as a number", () => {
  expect(endOf("claude-limit-with-reset").end).toMatchObject({
    reason: "retry-later",
    retryAt: "2026-11-30T12:33:34.000Z",
  });
});

test("a limit that Codex states in words waits until the end of that minute, on this machine's clock", () => {
  const ended = (name: string) => {
    const { end } = endOf(name);
    return new Date(end.reason === "retry-later" ? (end.retryAt ?? "") : "");
  };
  const today = ended("codex-limit-today");
  expect([today.getHours(), today.getMinutes()]).toEqual([12, 36]);
  expect(ended("codex-limit-other-day")).toEqual(new Date("2026-12-05T01:42:00"));
});

test.each(["claude-429-retry-after", "claude-throttled-subscription", "codex-limit-no-reset", "codex-429"])(
  "a limit without a stated end waits for a time that the caller chooses: %s",
  (name) => {
    expect(endOf(name).end).toMatchObject({ reason: "retry-later", retryAt: null });
  },
);

test.each([
  ["claude-overloaded", "transient"],
  ["claude-server-error", "transient"],
  ["claude-forbidden", "auth"],
  ["claude-no-credit", "auth"],
  ["claude-no-such-model", "configuration"],
  ["codex-server-error", "transient"],
  ["codex-overloaded", "transient"],
  ["codex-unauthorized", "auth"],
  ["codex-quota", "auth"],
  ["codex-no-such-model", "configuration"],
  ["codex-model-not-supported", "configuration"],
])("an error that is no limit fails by its kind: %s is %s", (name, kind) => {
  expect(endOf(name).end).toMatchObject({ reason: "failed", kind });
});

test.each(["claude-done", "codex-done"])("a run that closed well is done: %s", (name) => {
  expect(endOf(name, { kind: "exited", exitCode: 0 })).toMatchObject({
    end: { reason: "done" },
    summary: "All done.",
    usage: {
      kind: "known",
      provenance: "measured",
      models: [{ usage: { inputTokens: 22, cacheReadTokens: 500, outputTokens: 41 } }],
    },
  });
});

test.each(["claude-done", "codex-done"])(
  "an agent that was stopped after a good result is done: %s",
  (name) => {
    expect(endOf(name, { kind: "stalled", idleMs: 900_000 }).end).toEqual({ reason: "done" });
    expect(endOf(name, { kind: "signalled", signal: "SIGKILL" }).end).toEqual({ reason: "done" });
    expect(endOf(name, { kind: "canceled" }).end).toEqual({ reason: "canceled" });
  },
);

test("no refused call is charged for", () => {
  expect(endOf("claude-limit-with-reset").usage).toEqual({
    kind: "known",
    provenance: "measured",
    models: [],
  });
});
