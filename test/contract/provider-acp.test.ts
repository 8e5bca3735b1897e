import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createProviders } from "../../src/adapters/providers/index.ts";
import { must } from "../../src/core/result.ts";
import { acpStream } from "../../src/logs/acp/stream.ts";
import { claudeStream } from "../../src/logs/claude-code/stream.ts";
import { codexStream } from "../../src/logs/codex/stream.ts";
import type { ProcessEnd } from "../../src/ports/process.ts";
import type { Provider, ProviderTask } from "../../src/ports/provider.ts";

const AGENT = resolve(import.meta.dirname, "../../src/testing/acp-agent.mjs");
let programs: string;

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), "loopwright-acp-bridge-"));
  await build({
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true },
    build: {
      ssr: resolve(import.meta.dirname, "../../src/bin/acp-bridge.ts"),
      outDir: programs,
      rollupOptions: { output: { entryFileNames: "bridge.mjs" } },
    },
  });
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

interface Played {
  readonly agent: readonly string[];
  readonly order?: Partial<ProviderTask>;
  readonly model?: string;
  readonly before?: Parameters<Provider["reader"]>[1];
  readonly during?: (bridge: ChildProcess, cwd: string) => Promise<void>;
}

/** One turn of the scripted agent behind our bridge, as the engine starts it. */
async function play({ agent, order, model, before, during }: Played) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "loopwright-acp-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const providers = createProviders({
    claudeStream,
    codexStream,
    acpStream,
    acpBridge: [process.execPath, join(programs, "bridge.mjs")],
    which: (command) => (command.startsWith("/") ? command : undefined),
    path: "",
    run: async () => undefined,
  });
  const spec = must(
    providers.parse(`acp:${[process.execPath, AGENT, ...agent].map((word) => `'${word}'`).join(" ")}`),
  );
  const provider = must(providers.make(model === undefined ? spec : { ...spec, model }));
  const task: ProviderTask = {
    prompt: "it",
    system: "",
    piece: "work",
    tier: "standard",
    cwd,
    permission: "edit",
    sessionId: "ours",
    isolated: false,
    ...order,
  };
  const launch = must(provider.launch(task));
  const reader = provider.reader(task, before);
  const [program = "", ...args] = launch.argv;
  const child = spawn(program, args, { cwd, env: { PATH: process.env["PATH"] ?? "" }, stdio: "pipe" });
  child.stdout.on("data", (chunk: Buffer) => reader.push(chunk, "stdout"));
  child.stderr.on("data", (chunk: Buffer) => reader.push(chunk, "stderr"));
  child.stdin.end(launch.stdin);
  const over = new Promise<ProcessEnd>((done) =>
    child.on("close", (code, signal) =>
      done(signal === null ? { kind: "exited", exitCode: code ?? 0 } : { kind: "signalled", signal }),
    ),
  );
  await during?.(child, cwd);
  return {
    ...reader.finish(await over, Date.now()),
    has: (name: string) => existsSync(join(cwd, name)),
    cwd,
  };
}

describe("an agent of the Agent Client Protocol", () => {
  test("is given the task, and its last words and its session are read", async () => {
    expect(await play({ agent: ["say"] })).toMatchObject({
      end: { reason: "done" },
      agentSession: "session-1",
      summary: "I did it",
    });
  });

  test.each([
    ["edit in its folder", ["edit"], "edit", true],
    ["edit by a reader", ["edit"], "read", false],
    ["edit elsewhere", ["edit", "/tmp/loopwright-must-not-be"], "edit", false],
    ["command that builds", ["run", "npm test"], "edit", true],
    ["command that a shell takes apart", ["run", "npm test; curl x"], "edit", false],
    ["command that nobody allowed", ["run", "curl x"], "edit", false],
    ["command with every permission", ["run", "curl x"], "full", true],
  ] as const)("asks leave and gets what the piece may: %s", async (_what, agent, permission, allowed) => {
    const { end, has, summary } = await play({ agent, order: { permission } });
    expect(end).toEqual({ reason: "done" });
    expect(has(agent[0] === "edit" ? "made.txt" : "ran.txt")).toBe(allowed);
    expect(existsSync("/tmp/loopwright-must-not-be")).toBe(false);
    // Once, never for good.
    expect(summary).not.toContain("always");
  });

  test("has its tokens and its cost measured where it states them, and unknown otherwise", async () => {
    expect((await play({ agent: ["usage"] })).usage).toEqual({
      kind: "known",
      provenance: "measured",
      models: [{ model: "unknown", usage: { inputTokens: 9, outputTokens: 3 }, statedMicroUsd: 250_000 }],
    });
    expect((await play({ agent: ["say"] })).usage.kind).toBe("unknown");
  });

  test("that is resumed is charged for what it added", async () => {
    const before = [{ model: "unknown", usage: {}, statedMicroUsd: 200_000 }];
    const { usage, agentSession } = await play({ agent: ["usage"], order: { resume: "old" }, before });
    expect({ usage, agentSession }).toMatchObject({
      usage: { models: [{ statedMicroUsd: 50_000 }] },
      agentSession: "old",
    });
  });

  test("is asked for the model that was named, and one that it does not offer is a wrong setting", async () => {
    const { cwd } = await play({ agent: ["say"], model: "large" });
    expect(readFileSync(join(cwd, "model.txt"), "utf8")).toBe("large");
    expect((await play({ agent: ["say"], model: "huge" })).end).toMatchObject({
      kind: "configuration",
      detail: expect.stringContaining("small, large"),
    });
  });

  test("may print what is no protocol and updates of a later version", async () => {
    expect(await play({ agent: ["garbage"] })).toMatchObject({
      end: { reason: "done" },
      summary: "I did it",
    });
  });

  test.each([
    ["crash", "", { reason: "failed", kind: "agent-error", detail: expect.stringContaining("SIGKILL") }],
    ["login", "", { reason: "failed", kind: "auth" }],
    ["fail", "-32603", { reason: "retry-later" }],
    ["stop", "refusal", { reason: "failed", kind: "agent-error" }],
    ["stop", "max_tokens", { reason: "failed", kind: "agent-error" }],
    ["version", "", { reason: "failed", kind: "configuration" }],
  ])("that ends by %s %s is not done, whatever it said", async (what, detail, expected) => {
    expect((await play({ agent: [what, detail] })).end).toMatchObject(expected);
  });

  test.each(["hang", "deaf"])(
    "that is called off while it %ss ends, and its process with it",
    async (what) => {
      const during = async (bridge: ChildProcess, cwd: string) => {
        while (what === "hang" && !existsSync(join(cwd, "hanging")))
          await new Promise((go) => setTimeout(go, 20));
        if (what === "deaf") await new Promise((go) => setTimeout(go, 300));
        bridge.kill("SIGTERM");
      };
      const { end } = await play({ agent: [what], during });
      expect(end.reason).toBe("failed");
    },
  );
});
