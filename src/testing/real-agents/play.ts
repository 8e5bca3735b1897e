import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { createProcessRunner } from "../../adapters/process/index.ts";
import { createProviders, runBriefly } from "../../adapters/providers/index.ts";
import { systemClock } from "../../adapters/system/clock.ts";
import { must } from "../../core/result.ts";
import { acpStream } from "../../logs/acp/stream.ts";
import { claudeStream, codexStream } from "../../logs/index.ts";
import type { ModelUsage, Provider, ProviderTask, StreamReader } from "../../ports/provider.ts";
import { agentEnvironment } from "../../run/environment.ts";
import type { RealAgent, Stage } from "./stage.ts";

const WALL_MS = 120_000;
const STREAM_CAP_BYTES = 16 * 1024 * 1024;

export type AttemptReport = ReturnType<StreamReader["finish"]> & { readonly argv: readonly string[] };

const runner = createProcessRunner({
  clock: systemClock,
  host: hostname(),
  toolPath: process.env["PATH"] ?? "",
});

/** The provider as a session would make it; a key that only Codex's configuration names is declared. */
export function realProvider(agent: RealAgent, stage: Stage): Provider {
  const path = stage.env["PATH"] ?? "";
  const providers = createProviders({
    claudeStream,
    codexStream,
    acpStream,
    acpBridge: [],
    which: (command, from) => runner.which(command, from),
    path,
    run: runBriefly(stage.root),
  });
  return must(providers.make({ kind: agent, id: agent, command: COMMANDS[agent], args: [] }));
}

const COMMANDS = { "claude-code": "claude", codex: "codex" } as const;

/** One attempt from the start to the report, by the same parts that a session uses. */
export async function playAttempt(
  provider: Provider,
  stage: Stage,
  change: Partial<ProviderTask> & Pick<ProviderTask, "prompt">,
  before?: readonly ModelUsage[],
): Promise<AttemptReport> {
  const task: ProviderTask = {
    system: "",
    piece: "implement",
    tier: "standard",
    cwd: stage.repo,
    permission: "edit",
    sessionId: randomUUID(),
    isolated: false,
    ...change,
  };
  const launch = must(provider.launch(task));
  const reader = provider.reader(task, before);
  const nonce = randomBytes(16).toString("hex");
  const running = must(
    await runner.start({
      argv: launch.argv,
      cwd: task.cwd,
      env: agentEnvironment(stage.env, launch, { attempt: "att_test", session: "ses_test" }),
      ...(launch.stdin === undefined ? {} : { stdin: launch.stdin }),
      dir: join(stage.root, `attempt-${nonce}`),
      nonce,
      wallMs: WALL_MS,
      graceMs: 2000,
      streamCapBytes: STREAM_CAP_BYTES,
      containment: "strongest",
      onOutput: (chunk, stream) => {
        reader.push(chunk, stream);
      },
    }),
  );
  const outcome = await running.outcome;
  return { ...reader.finish(outcome.end, systemClock.now()), argv: launch.argv };
}
