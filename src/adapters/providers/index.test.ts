import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { acpStream } from "../../logs/acp/stream.ts";
import { claudeStream } from "../../logs/claude-code/stream.ts";
import { codexStream } from "../../logs/codex/stream.ts";
import type { ProviderSpec, ProviderTask } from "../../ports/provider.ts";
import { createProviders, runBriefly } from "./index.ts";

const MISSING = "no-such-agent";
const providers = createProviders({
  claudeStream,
  codexStream,
  acpStream,
  acpBridge: [],
  which: (command) => {
    if (command === MISSING) return undefined;
    return command.startsWith("/") ? command : `/opt/bin/${command}`;
  },
  path: "/opt/bin",
  run: async () => undefined,
});
const SESSION = "9f0f2d4e-7d5c-4d3a-9a53-4a6d1a2b3c4d";
const TASK: ProviderTask = {
  prompt: "Fix {tier} it",
  system: "Never push.",
  piece: "implement",
  tier: "strong",
  cwd: "/repo",
  permission: "edit",
  sessionId: SESSION,
  isolated: false,
};

function launch(spec: ProviderSpec | string, change: Partial<ProviderTask> = {}) {
  const parsed = typeof spec === "string" ? must(providers.parse(spec)) : spec;
  return must(must(providers.make(parsed)).launch({ ...TASK, ...change }));
}

const command = (argv: readonly string[], more: object = {}): ProviderSpec => ({
  kind: "command",
  id: "mine",
  argv,
  promptOnStdin: false,
  ...more,
});

test("Claude Code is started headless, with prompt on stdin, rules by flag and an id of ours", () => {
  const { argv, stdin, agentSession } = launch("claude-code");
  expect(argv.slice(0, 7)).toEqual([
    "/opt/bin/claude",
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--session-id",
    SESSION,
  ]);
  expect(argv).toEqual(expect.arrayContaining(["--append-system-prompt", "Never push."]));
  expect(argv).not.toContain("--model");
  expect({ stdin, agentSession }).toEqual({ stdin: "Fix {tier} it", agentSession: SESSION });
});

test("Codex is started headless without approvals, with rules before the prompt on stdin", () => {
  const { argv, stdin, agentSession } = launch("codex");
  expect(argv).toEqual([
    "/opt/bin/codex",
    "exec",
    "--json",
    "--skip-git-repo-check",
    "-c",
    'sandbox_mode="workspace-write"',
    "-c",
    'approval_policy="never"',
    "-",
  ]);
  expect({ stdin, agentSession }).toEqual({ stdin: "Never push.\n\nFix {tier} it", agentSession: undefined });
});

test("a model or effort is asked for only when it is set", () => {
  const set = { model: "m-1", effort: "high", args: ["--extra"] };
  const claude = launch({ kind: "claude-code", id: "a", command: "claude", ...set }).argv.join(" ");
  const codex = launch({ kind: "codex", id: "a", command: "codex", ...set }).argv.join(" ");
  expect(claude).toContain("--model m-1 --effort high");
  expect(codex).toContain('-m m-1 -c model_reasoning_effort="high" --extra -');
});

test.each([
  ["claude-code", "full", "--dangerously-skip-permissions"],
  ["claude-code", "edit", "--permission-mode acceptEdits"],
  ["claude-code", "read", "--disallowedTools Edit,MultiEdit,Write,NotebookEdit"],
  ["codex", "full", 'sandbox_mode="danger-full-access"'],
  ["codex", "edit", 'sandbox_mode="workspace-write"'],
  ["codex", "read", 'sandbox_mode="read-only"'],
] as const)("%s gets the permission %s and no more", (kind, permission, flag) => {
  const line = launch(kind, { permission }).argv.join(" ");
  expect(line).toContain(flag);
  expect(/dangerously|danger-full/.test(line)).toBe(permission === "full");
});

test.each([
  ["full", "--disallowedTools Bash(git push:*),Bash(rm -rf:*)"],
  ["edit", "--disallowedTools Bash(git push:*),Bash(rm -rf:*)"],
  ["read", "--disallowedTools Edit,MultiEdit,Write,NotebookEdit,Bash(git push:*),Bash(rm -rf:*)"],
] as const)(
  "claude-code with the permission %s is given the commands to refuse that a list can carry",
  (permission, flag) => {
    const forbiddenCommands = ["git push", "rm -rf", "odd, (one)"];
    const line = launch("claude-code", { permission, forbiddenCommands }).argv.join(" ");
    expect(line).toContain(flag);
    expect(line).not.toContain("odd");
  },
);

test("a resumed session keeps its id, a fork gets a new one", () => {
  const resume = "11111111-2222-4333-8444-555555555555";
  expect(launch("claude-code", { resume }).agentSession).toBe(resume);
  expect(launch("claude-code", { resume, fork: true }).agentSession).toBe(SESSION);
  expect(launch("codex", { resume }).argv.slice(-3)).toEqual(["resume", resume, "-"]);
  expect(launch("codex", { resume, fork: true }).argv.slice(-3)).toEqual(["fork", resume, "-"]);
  expect(launch("codex", { resume, fork: true }).agentSession).toBeUndefined();
});

test("marks of a surrounding agent session and undeclared keys are not passed on", () => {
  const names = launch("claude-code").envNames;
  expect(names).toContain("ANTHROPIC_API_KEY");
  for (const name of ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "OPENAI_API_KEY", "GITHUB_TOKEN"]) {
    expect(names).not.toContain(name);
  }
  expect(launch(command(["x"], { env: ["MY_KEY"] })).envNames).toEqual(["MY_KEY"]);
});

test("a command's placeholders are filled once, and the rules reach it in any case", () => {
  const { argv, stdin } = launch(command(["x", "{piece}/{node}/{tier}/{model}/{other}", "{prompt}"]));
  expect(argv).toEqual(["/opt/bin/x", "implement/implement/strong//{other}", "Never push.\n\nFix {tier} it"]);
  expect(stdin).toBeUndefined();
  expect(launch(command(["x", "--rules", "{system}", "{prompt}"])).argv).toEqual([
    "/opt/bin/x",
    "--rules",
    "Never push.",
    "Fix {tier} it",
  ]);
});

test("a command that has no place for the prompt gets it on stdin", () => {
  expect(launch(command(["x"])).stdin).toBe("Never push.\n\nFix {tier} it");
});

test("a command with a relative path is the one in the folder that is worked in", () => {
  expect(launch("command:./tools/agent.sh").argv).toEqual(["/repo/tools/agent.sh"]);
});

test("a prompt that no argument can carry is refused with a way out", () => {
  const provider = must(providers.make(command(["x", "{prompt}"])));
  const result = provider.launch({ ...TASK, prompt: "x".repeat(200_000) });
  expect(result.ok ? undefined : result.problem).toMatchObject({
    code: "bad-input",
    hint: expect.stringContaining("standard input"),
  });
});

test.each(["claude-code", "codex", "command"] as const)(
  "an agent that is not there is a problem: %s",
  (kind) => {
    const spec = kind === "command" ? command([MISSING]) : { kind, id: "a", command: MISSING, args: [] };
    const result = must(providers.make(spec)).launch(TASK);
    expect(result.ok ? undefined : result.problem.code).toBe("provider-missing");
  },
);

test("a typed command line runs directly, and by a shell only when it needs one", () => {
  expect(must(providers.parse('command:my-agent --say "a b"'))).toMatchObject({
    argv: ["my-agent", "--say", "a b"],
    promptOnStdin: true,
  });
  expect(must(providers.parse("command:cat | my-agent"))).toMatchObject({
    argv: ["/bin/sh", "-c", "cat | my-agent"],
  });
  expect(must(providers.parse("command:x --output-format stream-json"))).toMatchObject({
    output: "claude-stream-json",
  });
});

test("an agent is typed with its model and effort, where its program takes them", () => {
  const words = { kind: "codex", model: "gpt-6-astra", effort: "high" };
  expect(must(providers.parse("codex:gpt-6-astra:high"))).toMatchObject(words);
  expect(must(providers.parse("claude:claude-opus-5-5"))).toEqual({
    ...must(providers.parse("claude-code")),
    model: "claude-opus-5-5",
  });
  const gemini = must(providers.make(must(providers.parse("gemini:pro"))));
  expect(must(gemini.launch({ ...TASK, prompt: "p", system: "" })).argv).toEqual([
    "/opt/bin/gemini",
    "-p",
    "p",
    "-m",
    "pro",
    "--approval-mode",
    "auto_edit",
  ]);
});

test.each([
  "command:my-agent {prompt} | tee log",
  "command:KEY=1 my-agent {model}",
  "command:bash -lc 'x {prompt}'",
  "command:sh -c x {system}",
])("text of a task is never run by a shell: %s", (text) => {
  const made = providers.make(must(providers.parse(text)));
  expect(made.ok ? undefined : made.problem.code).toBe("bad-input");
});

test.each(["nobody", "command:", "command:'open", "codex:", "codex:a:b:c", "gemini:pro:high", "nobody:x"])(
  "a provider that makes no sense is a problem: %s",
  (text) => {
    expect(providers.parse(text).ok).toBe(false);
  },
);

test("whoever judges must be of another family, whatever name it goes by", () => {
  const family = (spec: ProviderSpec | string) =>
    must(providers.make(typeof spec === "string" ? must(providers.parse(spec)) : spec)).family;
  expect(family(command(["claude", "-p"]))).toBe(family("claude-code"));
  expect(family(command(["ask"], { model: "gpt-5.4" }))).toBe(family("codex"));
  expect(family(command(["a"]))).not.toBe(family(command(["b"])));
});

test("a cap in dollars means something only where spend can be known", () => {
  const reports = (spec: ProviderSpec) => must(providers.make(spec)).reportsCost;
  expect(reports(command(["x"]))).toBe(false);
  expect(reports(command(["x"], { usdPer1kTokens: 0.5 }))).toBe(true);
  expect(reports(command(["x"], { output: "claude-stream-json" }))).toBe(true);
});

test("detection names version and place of what is there, and why the rest is not", async () => {
  const bin = mkdtempSync(join(tmpdir(), "agents-"));
  const script = (name: string, body: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
    return join(bin, name);
  };
  const paths: Readonly<Record<string, string>> = {
    claude: script("claude", 'echo "2.1.332 (Claude Code)"'),
    codex: script("codex", "exit 3"),
  };
  const here = createProviders({
    claudeStream,
    codexStream,
    acpStream,
    acpBridge: [],
    which: (name) => paths[name],
    path: bin,
    run: runBriefly(bin),
  });
  const found = await here.detect(bin);
  expect(found.slice(0, 2)).toEqual([
    { id: "claude-code", kind: "claude-code", available: true, path: paths["claude"], version: "2.1.332" },
    {
      id: "codex",
      kind: "codex",
      available: false,
      path: paths["codex"],
      reason: expect.stringContaining("failed or took over"),
    },
  ]);
  expect(found.at(2)).toMatchObject({
    id: "gemini",
    available: false,
    reason: expect.stringContaining("not found on PATH; install"),
  });
});

test("a program that does not answer is given up on", async () => {
  expect(await runBriefly("/")(["/bin/sleep", "30"], "/bin:/usr/bin", 50)).toBeUndefined();
});
