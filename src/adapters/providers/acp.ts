import { ok, type Result } from "../../core/result.ts";
import type { AgentStreamFactory } from "../../ports/agent-stream.ts";
import type {
  AttemptEnd,
  Provider,
  ProviderLaunch,
  ProviderSpec,
  ProviderTask,
} from "../../ports/provider.ts";
import type { BridgeOrder } from "./acp/conversation.ts";
import { createAgentReader } from "./agent-reader.ts";
import { type AgentVoice, failed, notLoggedIn, retryLater, type Trouble } from "./ending.ts";
import { environmentNames } from "./environment.ts";
import { checkArguments, type Machine } from "./executable.ts";
import { familyOf } from "./family.ts";
import { findProgram, inContainer } from "./in-container.ts";
import { parseResetMs } from "./reset-time.ts";
import { joinSystem } from "./template.ts";

type AcpSpec = Extract<ProviderSpec, { kind: "acp" }>;

/** How our bridge to such agents is started. */
export type BridgeCommand = readonly string[];

/** An agent that speaks the Agent Client Protocol over its standard streams: our bridge gives it the task. */
export function createAcp(
  spec: AcpSpec,
  machine: Machine,
  stream: AgentStreamFactory,
  bridge: BridgeCommand,
): Provider {
  return {
    spec,
    // Few agents state a price, and which do shows only when they work.
    reportsCost: false,
    family: familyOf(spec),
    launch: (task) => launch(spec, machine, bridge, task),
    reader: (task, before) =>
      createAgentReader({
        stream: stream(spec.model),
        task,
        voice: ACP_VOICE,
        ...(before === undefined ? {} : { before }),
      }),
  };
}

function launch(
  spec: AcpSpec,
  machine: Machine,
  bridge: BridgeCommand,
  task: ProviderTask,
): Result<ProviderLaunch> {
  const [program = "", ...args] = spec.argv;
  const found = findProgram(machine, program, task, `install ${program}, or name another provider`);
  if (!found.ok) return found;
  // The bridge stays outside: it is the agent that is put into the container.
  const agent = inContainer(task, environmentNames("acp", spec.env), [found.value, ...args]);
  const order: BridgeOrder = {
    argv: agent.argv,
    cwd: task.cwd,
    permission: task.permission,
    ...(spec.model !== undefined && { model: spec.model }),
    ...(task.resume !== undefined && { resume: task.resume }),
  };
  const argv = checkArguments([...bridge, JSON.stringify(order)], "use fewer arguments");
  if (!argv.ok) return argv;
  return ok({
    argv: argv.value,
    stdin: joinSystem(task.system, task.prompt),
    envNames: agent.envNames,
    envSet: {},
    ...(task.resume !== undefined && { agentSession: task.resume }),
  });
}

const LOGIN = "log in with the agent's own program first";
const ACP_VOICE: AgentVoice = { classify, login: LOGIN };

/** The protocol has one code for a login; all else stands in sentences. */
function classify(trouble: Trouble, nowMs: number): AttemptEnd | undefined {
  const { text } = trouble;
  if (/\b429\b|rate.?limit|usage limit|quota|too many requests/i.test(text)) {
    return retryLater(text, parseResetMs(text, nowMs));
  }
  if (/authentication required|not logged in|invalid api key/i.test(text)) return notLoggedIn(text, LOGIN);
  if (/could not be started/.test(text)) return failed("missing", text);
  if (/model .* not found|cannot load a session|speaks version|did not answer `/i.test(text)) {
    return failed("configuration", text);
  }
  if (/\b(502|503|504|529)\b|overloaded|ECONNRESET|ETIMEDOUT/i.test(text)) return failed("transient", text);
  return undefined;
}
