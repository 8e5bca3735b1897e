import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { type BridgeLine, type BridgeOrder, converse } from "./conversation.ts";

/** How long an agent may take to leave after its turn, and to close one that is called off. */
const LEAVE_MS = 2000;

export interface BridgeHost {
  readonly prompt: string;
  readonly say: (line: BridgeLine) => void;
  readonly onTerm: (handler: () => void) => void;
}

/**
 * Between a process that is given one task on standard input and an agent that wants a conversation: so an ACP agent is
 * started, watched, ended and found after a crash like any other. The exit code is 0 when the turn was answered.
 */
export async function bridge(order: BridgeOrder, host: BridgeHost): Promise<number> {
  const [program = "", ...args] = order.argv;
  const agent = spawn(program, args, { cwd: order.cwd, stdio: ["pipe", "pipe", "inherit"] });
  const canceled = new AbortController();
  host.onTerm(() => {
    canceled.abort();
    setTimeout(() => agent.kill("SIGKILL"), LEAVE_MS).unref();
  });
  const isAnswered = await converse(order, {
    input: Writable.toWeb(agent.stdin),
    output: Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>,
    prompt: host.prompt,
    say: host.say,
    gone: whenGone(agent),
    canceled: canceled.signal,
  });
  await dismiss(agent);
  return isAnswered ? 0 : 1;
}

type Agent = ChildProcessByStdio<Writable, Readable, null>;

function whenGone(agent: Agent): Promise<never> {
  return new Promise((_, reject) => {
    agent.on("error", (error) => reject(new Error(`the agent could not be started: ${error.message}`)));
    // After its streams are over: an answer that was written before the end counts.
    agent.on("close", (code, signal) =>
      setImmediate(() =>
        reject(new Error(`the agent ended in the middle of its turn (${signal ?? `exit ${code}`})`)),
      ),
    );
    agent.stdin.on("error", () => undefined);
  });
}

async function dismiss(agent: Agent): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null || agent.pid === undefined) return;
  const over = once(agent, "exit");
  agent.stdin.destroy();
  const timers = [
    setTimeout(() => agent.kill("SIGTERM"), LEAVE_MS / 2),
    setTimeout(() => agent.kill("SIGKILL"), LEAVE_MS),
  ];
  await over;
  for (const timer of timers) clearTimeout(timer);
}
