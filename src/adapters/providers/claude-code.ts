import { ok, type Result } from "../../core/result.ts";
import type { AgentStreamFactory } from "../../ports/agent-stream.ts";
import type {
  AttemptEnd,
  Provider,
  ProviderLaunch,
  ProviderSpec,
  ProviderTask,
} from "../../ports/provider.ts";
import { createAgentReader } from "./agent-reader.ts";
import { EDIT_COMMANDS, READ_COMMANDS } from "./command-lists.ts";
import { type AgentVoice, failed, notLoggedIn, retryLater, type Trouble } from "./ending.ts";
import { environmentNames } from "./environment.ts";
import { checkArguments, type Machine } from "./executable.ts";
import { findProgram, inContainer } from "./in-container.ts";
import { parseResetMs } from "./reset-time.ts";

type ClaudeSpec = Extract<ProviderSpec, { kind: "claude-code" }>;

export const CLAUDE_INSTALL_HINT =
  "install it with `npm install -g @anthropic-ai/claude-code`, then run `claude` once to log in";
const LOGIN = "run `claude` once to log in, or set ANTHROPIC_API_KEY";

const READ_TOOLS = ["Read", "Glob", "Grep", "LS"] as const;
const WRITE_TOOLS = ["Edit", "MultiEdit", "Write", "NotebookEdit"] as const;

/**
 * Claude Code, headless. The prompt goes to stdin, the system text by its own flag. Lists of tools are one argument each,
 * because the program's list options swallow what follows them.
 */
export function createClaudeCode(spec: ClaudeSpec, machine: Machine, stream: AgentStreamFactory): Provider {
  return {
    spec,
    reportsCost: true,
    family: "anthropic",
    launch: (task) => launch(spec, machine, task),
    reader: (task, before) =>
      createAgentReader({
        stream: stream(spec.model),
        task,
        voice: CLAUDE_VOICE,
        ...(before === undefined ? {} : { before }),
      }),
  };
}

function launch(spec: ClaudeSpec, machine: Machine, task: ProviderTask): Result<ProviderLaunch> {
  const program = findProgram(machine, spec.command, task, CLAUDE_INSTALL_HINT);
  if (!program.ok) return program;
  const argv = checkArguments(
    [
      program.value,
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      ...sessionFlags(task),
      ...permissionFlags(task),
      ...(spec.model === undefined ? [] : ["--model", spec.model]),
      ...(spec.effort === undefined ? [] : ["--effort", spec.effort]),
      ...(task.system === "" ? [] : ["--append-system-prompt", task.system]),
      ...spec.args,
    ],
    "shorten the rules and facts that go with the task",
  );
  if (!argv.ok) return argv;
  return ok({
    ...inContainer(task, environmentNames("claude-code", spec.env), argv.value),
    stdin: task.prompt,
    envSet: {},
    agentSession: task.resume === undefined || task.fork === true ? task.sessionId : task.resume,
  });
}

function sessionFlags(task: ProviderTask): readonly string[] {
  if (task.resume === undefined) return ["--session-id", task.sessionId];
  const fork = task.fork === true ? ["--fork-session", "--session-id", task.sessionId] : [];
  return ["--resume", task.resume, ...fork];
}

function permissionFlags({ permission, forbiddenCommands = [] }: ProviderTask): readonly string[] {
  // What a list of tools cannot carry is left to what else holds it.
  const denied = rulesFor(forbiddenCommands.filter((command) => /^[\w@%+=./ -]+$/.test(command)));
  const deny = (...tools: readonly string[]): readonly string[] =>
    tools.length === 0 ? [] : ["--disallowedTools", tools.join(",")];
  switch (permission) {
    case "full":
      return ["--dangerously-skip-permissions", ...deny(...denied)];
    case "edit":
      return [
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        toolList(WRITE_TOOLS, EDIT_COMMANDS),
        ...deny(...denied),
      ];
    case "read":
      // Plan mode alone leaves the tools in reach of a user's own allow rules.
      return [
        "--permission-mode",
        "plan",
        "--allowedTools",
        toolList([], READ_COMMANDS),
        ...deny(...WRITE_TOOLS, ...denied),
      ];
  }
}

function toolList(more: readonly string[], commands: readonly string[]): string {
  return [...READ_TOOLS, ...more, ...rulesFor(commands)].join(",");
}

function rulesFor(commands: readonly string[]): readonly string[] {
  return commands.map((command) => `Bash(${command}:*)`);
}

export const CLAUDE_VOICE: AgentVoice = { classify, login: LOGIN };

/** What the program says where it states no status, or one that does not tell enough. */
function classify(trouble: Trouble, nowMs: number): AttemptEnd | undefined {
  const { text } = trouble;
  if (
    trouble.resetsAtMs !== undefined ||
    /^(you've hit your .{0,20}limit|claude .{0,4}usage limit reached)/i.test(text)
  ) {
    return retryLater(text, trouble.resetsAtMs ?? parseResetMs(text, nowMs));
  }
  if (/^not logged in|^invalid api key|please run \/login|oauth token has expired/i.test(text)) {
    return notLoggedIn(text, LOGIN);
  }
  if (/credit balance is too low/i.test(text)) return failed("auth", text);
  if (
    /issue with the selected model|root\/sudo privileges|unknown option|no conversation found|is already in use/i.test(
      text,
    )
  ) {
    return failed("configuration", text);
  }
  return undefined;
}
