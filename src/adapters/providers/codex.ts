import { ok, type Result } from "../../core/result.ts";
import type { AgentStreamFactory } from "../../ports/agent-stream.ts";
import type {
  AttemptEnd,
  Permission,
  Provider,
  ProviderLaunch,
  ProviderSpec,
  ProviderTask,
} from "../../ports/provider.ts";
import { createAgentReader } from "./agent-reader.ts";
import { type AgentVoice, failed, notLoggedIn, retryLater, type Trouble } from "./ending.ts";
import { environmentNames } from "./environment.ts";
import { checkArguments, type Machine } from "./executable.ts";
import { findProgram, inContainer } from "./in-container.ts";
import { parseResetMs } from "./reset-time.ts";
import { joinSystem } from "./template.ts";

type CodexSpec = Extract<ProviderSpec, { kind: "codex" }>;

export const CODEX_INSTALL_HINT = "install it with `npm install -g @openai/codex`, then run `codex login`";

const LOGIN = "run `codex login`, or set the key that its config.toml names";

const SANDBOX: Readonly<Record<Permission, string>> = {
  read: "read-only",
  edit: "workspace-write",
  full: "danger-full-access",
};

/**
 * Codex, headless. It has no flag for system text and takes no session id: the text stands before the prompt on stdin,
 * the id comes from the stream. Approvals are off, since nobody is there to give them; the sandbox is the limit.
 */
export function createCodex(spec: CodexSpec, machine: Machine, stream: AgentStreamFactory): Provider {
  return {
    spec,
    reportsCost: true,
    family: "openai",
    launch: (task) => launch(spec, machine, task),
    reader: (task, before) =>
      createAgentReader({
        stream: stream(spec.model),
        task,
        voice: CODEX_VOICE,
        ...(before === undefined ? {} : { before }),
      }),
  };
}

function launch(spec: CodexSpec, machine: Machine, task: ProviderTask): Result<ProviderLaunch> {
  const program = findProgram(machine, spec.command, task, CODEX_INSTALL_HINT);
  if (!program.ok) return program;
  const argv = checkArguments(
    [
      program.value,
      "exec",
      "--json",
      // The workspace's content is kept by us, so a folder without git is no danger.
      "--skip-git-repo-check",
      ...setting("sandbox_mode", SANDBOX[task.permission]),
      ...setting("approval_policy", "never"),
      ...(spec.model === undefined ? [] : ["-m", spec.model]),
      ...(spec.effort === undefined ? [] : setting("model_reasoning_effort", spec.effort)),
      ...spec.args,
      ...(task.resume === undefined ? [] : [task.fork === true ? "fork" : "resume", task.resume]),
      "-",
    ],
    "use a shorter model name or fewer arguments",
  );
  if (!argv.ok) return argv;
  const known = task.resume === undefined || task.fork === true ? {} : { agentSession: task.resume };
  return ok({
    ...inContainer(task, environmentNames("codex", spec.env), argv.value),
    stdin: joinSystem(task.system, task.prompt),
    envSet: {},
    ...known,
  });
}

/** Settings instead of flags: `exec resume` and `exec fork` know fewer flags than `exec`. */
function setting(key: string, value: string): readonly string[] {
  return ["-c", `${key}=${JSON.stringify(value)}`];
}

const CODEX_VOICE: AgentVoice = { classify, login: LOGIN };

/** Codex states no status of its own; the HTTP status stands in its sentences, where it stands at all. */
function classify(trouble: Trouble, nowMs: number): AttemptEnd | undefined {
  const { text } = trouble;
  if (/^you.ve hit your usage limit/i.test(text) || /status:? 429\b/.test(text)) {
    return retryLater(text, trouble.resetsAtMs ?? parseResetMs(text, nowMs));
  }
  if (/^quota exceeded/i.test(text)) return failed("auth", text);
  if (/status:? 40[13]\b|not logged in|codex login|missing environment variable/i.test(text)) {
    return notLoggedIn(text, LOGIN);
  }
  if (/\bmodel\b.*(does not exist|is not supported|not found)|no rollout found/i.test(text)) {
    return failed("configuration", text);
  }
  if (
    /status:? (5\d\d|408)\b|high demand|stream disconnected|error sending request|at capacity/i.test(text)
  ) {
    return failed("transient", text);
  }
  return undefined;
}
