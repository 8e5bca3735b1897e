import { expect, test } from "vitest";
import { readHarness } from "./index.ts";

const settings = {
  hooks: {
    PostToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: "curl -H secret" }] }],
    Stop: [{ hooks: [{ type: "command", command: "say done" }] }],
  },
  enabledPlugins: { "pdf@market": true, "off@market": false },
  env: { TOKEN: "secret" },
};

test("parts are named by kind and name, each with the harness that reads it", () => {
  const record = readHarness([
    { path: "CLAUDE.md", text: "be brief\n" },
    { path: "AGENTS.md", text: "be brief\n" },
    { path: ".claude/settings.json", text: JSON.stringify(settings) },
    { path: ".mcp.json", text: '{"mcpServers":{"github":{"command":"x"}}}' },
    { path: ".claude/skills/pdf/SKILL.md", text: "# pdf" },
    { path: ".claude/skills/pdf/notes.md", text: "more" },
    { path: ".claude/agents/reviewer.md", text: "" },
    { path: ".claude/commands/git/ship.md", text: "" },
    { path: ".codex/config.toml", text: '[mcp_servers.docs]\ncommand = "x"\n' },
    { path: ".codex/prompts/plan.md", text: "" },
  ]);
  expect(record?.parts).toEqual({
    "claude-code": [
      "agent:reviewer",
      "command:git/ship",
      "hook:PostToolUse:Edit|Write",
      "hook:Stop",
      "mcp:github",
      "plugin:pdf@market",
      "prompt:a5c18cf0",
      "skill:pdf",
    ],
    codex: ["command:plan", "mcp:docs", "prompt:a5c18cf0"],
  });
});

test("a record holds no path, no hook's command and no variable's value", () => {
  const text = JSON.stringify(
    readHarness([{ path: ".claude/settings.json", text: JSON.stringify(settings) }]),
  );
  for (const secret of ["secret", "curl", "settings.json", "TOKEN"]) expect(text).not.toContain(secret);
});

test("the same files have the same digest in any order, another text another one", () => {
  const [a, b] = [
    { path: "CLAUDE.md", text: "one" },
    { path: "AGENTS.md", text: "two" },
  ];
  expect(readHarness([a, b])?.digest).toBe(readHarness([b, a])?.digest);
  expect(readHarness([a, { ...b, text: "three" }])?.digest).not.toBe(readHarness([a, b])?.digest);
});

test("a tree without such files, or with broken ones alone, has no record", () => {
  expect(readHarness([])).toBeUndefined();
  expect(
    readHarness([
      { path: ".mcp.json", text: "{" },
      { path: ".codex/config.toml", text: "[[" },
      { path: "README.md", text: "x" },
    ]),
  ).toBeUndefined();
});
