import { execFile } from "node:child_process";
import type { Availability } from "../../ports/provider.ts";
import type { Machine } from "./executable.ts";
import { KNOWN_AGENTS, type KnownAgent } from "./known-agents.ts";

/** Starting a large agent from a cold disk takes seconds; more means that it hangs. */
const VERSION_TIMEOUT_MS = 10_000;

/** Runs a program and gives its stdout; undefined when it cannot start, fails or takes longer. Never rejects. */
export type RunBriefly = (
  argv: readonly string[],
  path: string,
  timeoutMs: number,
) => Promise<string | undefined>;

/** Which of the known agents can be started here, in the order in which they are known. */
export function detectAgents(
  machine: Machine,
  run: RunBriefly,
  path: string,
): Promise<readonly Availability[]> {
  return Promise.all(KNOWN_AGENTS.map((agent) => detectOne(agent, machine, run, path)));
}

async function detectOne(
  agent: KnownAgent,
  machine: Machine,
  run: RunBriefly,
  path: string,
): Promise<Availability> {
  const { id, kind } = agent;
  const found = machine.which(agent.program, path);
  if (found === undefined) {
    const reason = `${agent.program} was not found on PATH; ${agent.install}`;
    return { id, kind, available: false, reason };
  }
  const printed = await run([found, "--version"], path, VERSION_TIMEOUT_MS);
  if (printed === undefined) {
    const reason = `\`${found} --version\` failed or took over ${VERSION_TIMEOUT_MS / 1000} s`;
    return { id, kind, available: false, path: found, reason };
  }
  const version = /\d+\.\d+[\w.+-]*/.exec(printed)?.[0];
  return { id, kind, available: true, path: found, ...(version === undefined ? {} : { version }) };
}

/** The real one: no shell, no stdin, an environment of PATH and HOME only. */
export function runBriefly(home: string): RunBriefly {
  return ([program = "", ...args], path, timeoutMs) =>
    new Promise((resolve) => {
      const options = { env: { PATH: path, HOME: home }, timeout: timeoutMs, killSignal: "SIGKILL" as const };
      const child = execFile(program, args, options, (error, stdout) =>
        resolve(error === null ? stdout : undefined),
      );
      child.stdin?.end();
    });
}
