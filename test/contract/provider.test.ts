import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createProviders, runBriefly } from "../../src/adapters/providers/index.ts";
import { must } from "../../src/core/result.ts";
import { acpStream } from "../../src/logs/acp/stream.ts";
import { claudeStream } from "../../src/logs/claude-code/stream.ts";
import { codexStream } from "../../src/logs/codex/stream.ts";
import type { ProcessEnd } from "../../src/ports/process.ts";
import type { Provider, ProviderSpec, ProviderTask } from "../../src/ports/provider.ts";
import {
  type AgentScript,
  type AgentStep,
  claudeLimit,
  codexLimit,
  installAgent,
  scriptedAgent,
} from "../../src/testing/scripted-agent.ts";

const SESSION = "9f0f2d4e-7d5c-4d3a-9a53-4a6d1a2b3c4d";
const KINDS = ["claude-code", "codex", "command"] as const;
type Kind = (typeof KINDS)[number];
const FORMATS = { "claude-code": "claude", codex: "codex", command: "text" } as const;

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "provider-"));
  roots.push(root);
  return root;
}

/** A scripted agent behind a provider of the given kind, in a folder of its own. */
function stage(kind: Kind, steps: readonly AgentStep[], script: Partial<AgentScript> = {}) {
  const root = makeRoot();
  const bin = join(root, "bin");
  const whole = { format: FORMATS[kind], stateDir: join(root, "state"), steps, ...script };
  const program = installAgent(bin, kind === "codex" ? "codex" : "claude", whole);
  const providers = createProviders({
    claudeStream,
    codexStream,
    acpStream,
    acpBridge: [],
    which: (command) =>
      [command, join(bin, command)].find((path) => path.startsWith("/") && existsSync(path)),
    path: bin,
    run: runBriefly(root),
  });
  const spec: ProviderSpec =
    kind === "command"
      ? { kind, id: "mine", argv: [program], promptOnStdin: true, rateLimitExitCodes: [42] }
      : must(providers.parse(kind));
  return { root, bin, providers, provider: must(providers.make(spec)) };
}

function task(cwd: string, change: Partial<ProviderTask> = {}): ProviderTask {
  return {
    prompt: "Do it.",
    system: "Be careful.",
    piece: "implement",
    tier: "standard",
    cwd,
    permission: "edit",
    sessionId: SESSION,
    isolated: false,
    ...change,
  };
}

type Before = Parameters<Provider["reader"]>[1];

/** Plays one attempt. `killOn` ends the process once that text was printed. */
async function play(
  provider: Provider,
  order: ProviderTask,
  options: { before?: Before; killOn?: string } = {},
) {
  const launch = must(provider.launch(order));
  const reader = provider.reader(order, options.before);
  const [program = "", ...args] = launch.argv;
  const env = { PATH: process.env["PATH"] ?? "", ...launch.envSet };
  const child = spawn(program, args, { cwd: order.cwd, env, stdio: "pipe" });
  const kinds: string[] = [];
  const watch = (source: "stdout" | "stderr") => (chunk: Buffer) => {
    kinds.push(...reader.push(chunk, source).map((event) => event.kind));
    if (options.killOn !== undefined && chunk.includes(options.killOn)) child.kill("SIGKILL");
  };
  child.stdout.on("data", watch("stdout"));
  child.stderr.on("data", watch("stderr"));
  child.stdin.end(launch.stdin ?? "");
  const end = await new Promise<ProcessEnd>((resolve) =>
    child.on("close", (code, signal) =>
      resolve(signal === null ? { kind: "exited", exitCode: code ?? 0 } : { kind: "signalled", signal }),
    ),
  );
  return { ...reader.finish(end, Date.now()), events: kinds };
}

const USAGE = { inputTokens: 100, cacheReadTokens: 50, outputTokens: 20 };

describe.each(KINDS)("%s", (kind) => {
  test("an agent that works and closes its run is done, with its last words", async () => {
    const step: AgentStep = {
      do: [
        { kind: "write", path: "made.txt", text: "hello\n", usage: USAGE },
        { kind: "say", text: "I made it.", usage: USAGE },
      ],
      claim: "I made it.",
    };
    const { root, provider } = stage(kind, [step]);
    const report = await play(provider, task(root));
    expect(report).toMatchObject({ end: { reason: "done" }, summary: "I made it." });
    expect(readFileSync(join(root, "made.txt"), "utf8")).toBe("hello\n");
  });

  test("an agent that is killed while it works has failed by a signal", async () => {
    const { root, provider } = stage(kind, [
      {
        do: [
          { kind: "say", text: "busy" },
          { kind: "crash", signal: "SIGKILL" },
        ],
        silentEnd: true,
      },
    ]);
    expect((await play(provider, task(root))).end).toMatchObject({ reason: "failed", kind: "signal" });
  });

  test("the exit code of a time-out utility is a failure, not a limit", async () => {
    const { root, provider } = stage(kind, [{ do: [], silentEnd: true, exit: 124 }]);
    expect((await play(provider, task(root))).end).toMatchObject({ reason: "failed", kind: "agent-error" });
  });

  test("more output than a pipe holds arrives whole while the agent runs", async () => {
    const text = `${"x".repeat(300_000)}\n`;
    const { root, provider } = stage(kind, [
      {
        do: [
          { kind: "print", text },
          { kind: "complain", text },
        ],
      },
    ]);
    expect((await play(provider, task(root))).end).toEqual({ reason: "done" });
  });
});

describe.each(["claude-code", "codex"] as const)("%s", (kind) => {
  test("a resumed attempt is charged for what it added, not for the session", async () => {
    const { root, provider } = stage(kind, [
      { do: [{ kind: "say", text: "one", usage: USAGE }] },
      { do: [{ kind: "say", text: "two", usage: { ...USAGE, outputTokens: 7 } }] },
    ]);
    const first = await play(provider, task(root));
    const order = task(root, { resume: first.agentSession ?? "" });
    const second = await play(provider, order, { before: first.cumulative ?? [] });
    expect(second.agentSession).toBe(first.agentSession);
    expect(second.usage).toMatchObject({
      kind: "known",
      provenance: "measured",
      models: [{ usage: { ...USAGE, outputTokens: 7 } }],
    });
  });

  test("an agent that claims success and exits with 0 but closes with an error has failed", async () => {
    const error = { text: "the model refused", status: 400 };
    const { root, provider } = stage(kind, [{ do: [{ kind: "say", text: "All done!" }], error, exit: 0 }]);
    expect((await play(provider, task(root))).end).toMatchObject({ reason: "failed", kind: "agent-error" });
  });

  test("an agent that exits with 0 without closing its run has failed", async () => {
    const { root, provider } = stage(kind, [{ do: [{ kind: "say", text: "All done!" }], silentEnd: true }]);
    expect((await play(provider, task(root))).end).toMatchObject({ reason: "failed", kind: "agent-error" });
  });

  test("an agent that stays after its result is done once it is ended", async () => {
    const { root, provider } = stage(kind, [{ do: [{ kind: "say", text: "ok" }], hangs: true }]);
    const killOn = kind === "codex" ? "turn.completed" : '"type":"result"';
    const report = await play(provider, task(root), { killOn });
    expect(report.end).toEqual({ reason: "done" });
    expect(report.events).toContain("result");
  });

  test("a usage limit is to be tried later, at the stated time if there is one", async () => {
    const [timed, open] =
      kind === "codex"
        ? [codexLimit("in 2 hours 5 minutes"), codexLimit("later")]
        : [claudeLimit("11:59pm (UTC)"), claudeLimit()];
    const { root, provider } = stage(kind, [
      { do: [], error: timed },
      { do: [], error: open },
    ]);
    const first = (await play(provider, task(root))).end;
    expect(first.reason === "retry-later" && Date.parse(first.retryAt ?? "")).toBeGreaterThan(0);
    expect((await play(provider, task(root))).end).toMatchObject({ reason: "retry-later", retryAt: null });
  });

  test("who is not logged in is told how to log in", async () => {
    const text =
      kind === "codex" ? "unexpected status 401 Unauthorized" : "Not logged in · Please run /login";
    const { root, provider } = stage(kind, [{ do: [], error: { text } }]);
    expect((await play(provider, task(root))).end).toMatchObject({
      reason: "failed",
      kind: "auth",
      detail: expect.stringContaining(kind === "codex" ? "codex login" : "run `claude`"),
    });
  });

  test("plain text on stderr before any stream is the reason of the failure", async () => {
    const complaint = "--dangerously-skip-permissions cannot be used with root/sudo privileges";
    const { root, provider } = stage(kind, [
      { do: [{ kind: "complain", text: complaint }], silentEnd: true, exit: 1 },
    ]);
    const { end } = await play(provider, task(root));
    expect(end).toMatchObject({ reason: "failed", detail: expect.stringContaining(complaint) });
  });
});

test("a thread that somebody else had used has unknown spend, not all of it", async () => {
  const { root, provider } = stage("codex", [{ do: [{ kind: "say", text: "one", usage: USAGE }] }]);
  const first = await play(provider, task(root));
  const report = await play(provider, task(root, { resume: first.agentSession ?? "" }));
  expect(report.usage.kind).toBe("unknown");
});

describe("command", () => {
  test.each([
    [42, { reason: "retry-later", retryAt: null }],
    [75, { reason: "retry-later", retryAt: null }],
    [127, { reason: "failed", kind: "missing" }],
    [126, { reason: "failed", kind: "configuration" }],
    [1, { reason: "failed", kind: "agent-error", detail: "exit 1: 429 rate limit, try again later" }],
  ])("exit code %i decides, whatever is printed", async (exit, expected) => {
    const complain = { kind: "complain", text: "429 rate limit, try again later" } as const;
    const { root, provider } = stage("command", [{ do: [complain], exit }]);
    expect((await play(provider, task(root))).end).toMatchObject(expected);
  });

  test("tokens are estimated by length and labelled so, without a price", async () => {
    const { root, provider } = stage("command", [{ do: [{ kind: "say", text: "x".repeat(399) }] }]);
    expect((await play(provider, task(root))).usage).toEqual({
      kind: "known",
      provenance: "estimated",
      models: [{ model: "unknown", usage: { inputTokens: 5, outputTokens: 100 } }],
    });
  });

  test("a usage pattern is looked for in both streams, a missing count is unknown", async () => {
    const root = makeRoot();
    const argv = scriptedAgent(join(root, "script.json"), {
      format: "text",
      stateDir: join(root, "state"),
      steps: [{ do: [{ kind: "complain", text: "total tokens: 12,345" }] }, { do: [] }],
    });
    const pattern = { usageRegex: "tokens: ([\\d,]+)", usdPer1kTokens: 0.002 };
    const { providers } = stage("command", []);
    const priced = must(
      providers.make({ kind: "command", id: "mine", argv, promptOnStdin: true, ...pattern }),
    );
    expect((await play(priced, task(root))).usage).toMatchObject({
      provenance: "measured",
      models: [{ usage: { inputTokens: 12345 }, statedMicroUsd: 24690 }],
    });
    expect((await play(priced, task(root))).usage.kind).toBe("unknown");
  });

  test("a command that prints Claude Code's stream is read by it and stays a command", async () => {
    const demo = join(import.meta.dirname, "../../templates/demo");
    const { providers, root } = stage("command", []);
    const argv = [process.execPath, join(demo, "agent.mjs"), "--output-format", "stream-json"];
    const spec = must(providers.parse(`command:${argv.join(" ")}`));
    const provider = must(providers.make(spec));
    cpSync(join(demo, "project"), root, { recursive: true });
    const report = await play(provider, task(root));
    expect(provider.spec.kind).toBe("command");
    expect(report).toMatchObject({
      end: { reason: "done" },
      summary: expect.stringContaining("All tests pass now"),
      model: "claude-sonnet-5-5",
      usage: { kind: "known", provenance: "measured" },
    });
  });
});

test("an agent can be told by the tree alone what to do next", async () => {
  const root = makeRoot();
  const argv = scriptedAgent(join(root, "script.json"), {
    format: "text",
    stateDir: join(root, "state"),
    steps: [
      { when: { missing: "a" }, do: [{ kind: "write", path: "a", text: "1" }] },
      { when: { file: "a", contains: "1" }, do: [{ kind: "edit", path: "a", from: "1", to: "2" }] },
    ],
  });
  const contents: string[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const child = spawn(argv[0] ?? "", argv.slice(1), {
      cwd: root,
      env: {},
      stdio: ["pipe", "ignore", "inherit"],
    });
    child.stdin.end();
    await new Promise((over) => child.on("close", over));
    contents.push(readFileSync(join(root, "a"), "utf8"));
  }
  expect(contents).toEqual(["1", "2"]);
});
