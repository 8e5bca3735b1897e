import type { ProcessRunner } from "../ports/process.ts";
import type { evaluateGate } from "../verify/gate.ts";
import type { SessionRun } from "./session-run.ts";

export function verifyPorts(run: Pick<SessionRun, "ports" | "checks">): Parameters<typeof evaluateGate>[0] {
  const { rooms, checkFiles, clock, entropy } = run.ports;
  return { process: followed(run), rooms, checkFiles, clock, entropy };
}

/** The process runner, with what it starts entered among the session's checks while it runs. */
function followed(run: Pick<SessionRun, "ports" | "checks">): ProcessRunner {
  const { process } = run.ports;
  return {
    ...process,
    strongest: process.strongest,
    canSandbox: process.canSandbox,
    start: async (request) => {
      const started = await process.start(request);
      if (!started.ok) return started;
      run.checks.add(started.value);
      void started.value.outcome.then(() => run.checks.delete(started.value));
      return started;
    },
  };
}
