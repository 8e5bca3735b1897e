import { basename } from "node:path";
import { fail, ok, type Result } from "../../core/result.ts";
import type { AgentStreamFactory } from "../../ports/agent-stream.ts";
import type {
  ModelUsage,
  Provider,
  ProviderLaunch,
  ProviderSpec,
  ProviderTask,
} from "../../ports/provider.ts";
import { createAgentReader } from "./agent-reader.ts";
import { CLAUDE_VOICE } from "./claude-code.ts";
import { createCommandReader } from "./command-reader.ts";
import { environmentNames } from "./environment.ts";
import { checkArguments, type Machine } from "./executable.ts";
import { familyOf } from "./family.ts";
import { findProgram, inContainer } from "./in-container.ts";
import { fillTemplate, holdsPlaceholder, joinSystem } from "./template.ts";

export type CommandSpec = Extract<ProviderSpec, { kind: "command" }>;

const SHELLS = ["sh", "bash", "dash", "zsh", "ksh", "fish"];
/**
 * A command of the person's own. Problem: `bad-input` for a shell line with placeholders: what an agent or a file
 * wrote would be run as shell code.
 */
export function createCommand(
  spec: CommandSpec,
  machine: Machine,
  claudeStream: AgentStreamFactory,
): Result<Provider> {
  const [program = "", ...rest] = spec.argv;
  const script = SHELLS.includes(basename(program)) ? scriptOf(rest) : undefined;
  if (program === "") return fail("bad-input", `provider ${spec.id} has no command`);
  if (script !== undefined && holdsPlaceholder(script)) {
    return fail("bad-input", `provider ${spec.id}: placeholders cannot stand in a line that a shell runs`, {
      hint: "read the task from standard input, or write the command without |, ;, $, ~ or wildcards",
    });
  }
  if (spec.usageRegex !== undefined && !isRegex(spec.usageRegex)) {
    return fail("bad-input", `provider ${spec.id}: the usage pattern is no regular expression`);
  }
  return ok({
    spec,
    reportsCost: spec.output !== undefined || spec.usdPer1kTokens !== undefined,
    family: familyOf(spec),
    launch: (task) => launch(spec, machine, task),
    reader: (task, before) => createReader(spec, claudeStream, task, before),
  });
}

function createReader(
  spec: CommandSpec,
  claudeStream: AgentStreamFactory,
  task: ProviderTask,
  before: readonly ModelUsage[] | undefined,
) {
  if (spec.output === undefined) return createCommandReader(spec, joinSystem(task.system, task.prompt));
  return createAgentReader({
    stream: claudeStream(spec.model),
    task,
    voice: CLAUDE_VOICE,
    ...(before === undefined ? {} : { before }),
  });
}

function launch(spec: CommandSpec, machine: Machine, task: ProviderTask): Result<ProviderLaunch> {
  const [program = "", ...fixed] = spec.argv;
  const rest = [
    ...fixed,
    ...(spec.model === undefined ? [] : (spec.modelArgs ?? [])),
    ...(spec.permissionArgs?.[task.permission] ?? []),
  ];
  const found = findProgram(machine, program, task, `install ${program}, or name another provider`);
  if (!found.ok) return found;
  const hasSystem = spec.argv.some((word) => holdsPlaceholder(word, "system"));
  const prompt = hasSystem ? task.prompt : joinSystem(task.system, task.prompt);
  const values = {
    prompt,
    system: task.system,
    model: spec.model ?? "",
    piece: task.piece,
    node: task.piece,
    tier: task.tier,
  };
  const argv = checkArguments(
    [found.value, ...rest.map((word) => fillTemplate(word, values))],
    "take {prompt} out of the command: the task then comes on standard input",
  );
  if (!argv.ok) return argv;
  const takesPrompt = rest.some((word) => holdsPlaceholder(word, "prompt"));
  return ok({
    ...inContainer(task, environmentNames("command", spec.env), argv.value),
    ...(spec.promptOnStdin || !takesPrompt ? { stdin: prompt } : {}),
    envSet: {},
  });
}

/** The text that a shell is given to run: what follows `-c`, also in a bundle such as `-lc`. */
function scriptOf(rest: readonly string[]): string | undefined {
  const at = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at < 0 ? undefined : rest.slice(at + 1).join(" ");
}

function isRegex(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
