import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

export const PACKAGES = { "claude-code": "@anthropic-ai/claude-code", codex: "@openai/codex" } as const;
export type RealAgent = keyof typeof PACKAGES;

/** A home, a repository and an environment in which an agent knows no account and can reach only the model server. */
export interface Stage {
  readonly root: string;
  readonly repo: string;
  readonly env: Readonly<Record<string, string>>;
  dispose(): void;
}

/** Installs the agents from npm into `folder`, with their install scripts, and gives the folder of their programs. */
export function installAgents(folder: string, agents: readonly RealAgent[]): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const packages = agents.map((agent) => PACKAGES[agent]);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder, stdio: "inherit" });
  if (agents.includes("claude-code")) {
    // npm may hold install scripts back; this one links the native program.
    const cwd = join(folder, "node_modules", PACKAGES["claude-code"]);
    execFileSync(process.execPath, ["install.cjs"], { cwd, stdio: "inherit" });
  }
  return join(folder, "node_modules", ".bin");
}

export function makeStage(agent: RealAgent, bin: string, serverUrl: string): Stage {
  // Not below the temporary folder: Codex makes no sandbox helpers for a home that lies there.
  const root = mkdtempSync(join(homedir(), `.loopwright-test-${agent}-`));
  const repo = join(root, "repo");
  mkdirSync(repo);
  const git = (...args: string[]) => execFileSync("git", ["-C", repo, ...args], { stdio: "ignore" });
  git("init", "-q");
  writeFileSync(join(repo, "a.txt"), "a\n");
  git("add", ".");
  git("-c", "user.name=Test", "-c", "user.email=test@example.invalid", "commit", "-qm", "Start");
  const base = {
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    HOME: root,
    LANG: "C.UTF-8",
    TERM: "dumb",
  };
  const env = { ...base, ...(agent === "codex" ? codexEnv(root, serverUrl) : claudeEnv(serverUrl)) };
  return { root, repo, env, dispose: () => rmSync(root, { recursive: true, force: true }) };
}

function claudeEnv(serverUrl: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: serverUrl,
    ANTHROPIC_API_KEY: "sk-ant-dummy-000000",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_BUG_COMMAND: "1",
    IS_SANDBOX: "1",
  };
}

/** Written into a home of its own: Codex takes another service from its configuration only. */
function codexEnv(root: string, serverUrl: string): Readonly<Record<string, string>> {
  const home = join(root, ".codex");
  mkdirSync(home);
  const config = `model = "gpt-5.6-sol"
model_provider = "scripted"
check_for_update_on_startup = false
web_search = "disabled"
[model_providers.scripted]
name = "scripted"
base_url = "${serverUrl}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false
[analytics]
enabled = false
[feedback]
enabled = false
[otel]
exporter = "none"
`;
  writeFileSync(join(home, "config.toml"), config);
  return { OPENAI_API_KEY: "dummy" };
}
