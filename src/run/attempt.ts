import type { Json, JsonObject } from "../core/canonical-json.ts";
import type { AttemptId } from "../core/ids.ts";
import { InvariantError, ok, type Result } from "../core/result.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { ProcessEnd, ProcessOutcome, RunningProcess } from "../ports/process.ts";
import type { ModelUsage, Provider, ProviderTask, StreamReader } from "../ports/provider.ts";
import type { Claim } from "../ports/queue.ts";
import type { Assignment } from "./assignment.ts";
import { endedWithoutProcess, reportOf } from "./attempt-report.ts";
import { agentEnvironment, missingVariables } from "./environment.ts";
import type { AttemptEnded, EventOf } from "./events.ts";
import { forbiddenTo, guard } from "./guarded.ts";
import { containerName, containerOf, noSandbox, sandboxOf } from "./sandbox.ts";
import type { SessionRun } from "./session-run.ts";
import { attemptOf } from "./state.ts";

const GRACE_MS = 5_000;
const RESULT_GRACE_MS = 30_000;

/**
 * Does a claimed attempt: prepares the folder, tells the ledger before and after the spawn, reads the streams, seals
 * the trace and settles the claim. What it returns is already durable in the queue; the caller takes it to the chain.
 */
export async function executeAttempt(run: SessionRun, claim: Claim): Promise<AttemptEnded | undefined> {
  const assignment = await readAssignment(run, claim);
  const ended = await perform(run, claim, assignment);
  const accepted = await run.ports.queue.complete(claim, ended as unknown as JsonObject);
  if (!accepted.ok) throw new InvariantError(`cannot settle ${claim.attempt}: ${accepted.problem.message}`);
  return accepted.value ? ended : undefined;
}

export async function readAssignment(
  run: SessionRun,
  claim: Pick<Claim, "attempt" | "assignment">,
): Promise<Assignment> {
  const blob = await run.ports.store.blob(claim.assignment);
  if (!blob.ok || blob.value === undefined) {
    throw new InvariantError(
      `the assignment of ${claim.attempt} is missing: ${blob.ok ? "" : blob.problem.message}`,
    );
  }
  return JSON.parse(new TextDecoder().decode(blob.value)) as Json as unknown as Assignment;
}

async function perform(run: SessionRun, claim: Claim, assignment: Assignment): Promise<AttemptEnded> {
  const { ports } = run;
  const provider = ports.providers.make(assignment.provider);
  if (!provider.ok) return endedWithoutProcess(assignment, provider.problem);
  const nonce = [...ports.entropy.bytes(16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const container = await containerOf(run, assignment, nonce);
  if (!container.ok) return endedWithoutProcess(assignment, container.problem);
  const forbiddenCommands = forbiddenTo(run.state, assignment.piece);
  const task = {
    ...taskOf(assignment),
    ...(forbiddenCommands.length > 0 && { forbiddenCommands }),
    ...(container.value !== undefined && { container: container.value }),
  };
  const sandbox = container.value === undefined ? sandboxOf(run, assignment) : undefined;
  const isBare = sandbox === undefined && container.value === undefined;
  if (isBare && run.state.spec.threat === "sandboxed") return endedWithoutProcess(assignment, noSandbox());
  const launch = provider.value.launch(task);
  if (!launch.ok) return endedWithoutProcess(assignment, launch.problem);
  const missing = missingVariables(ports.environment, assignment.provider);
  if (missing.length > 0)
    return endedWithoutProcess(assignment, {
      code: "provider-missing",
      message: `${assignment.provider.id} is missing env: ${missing.join(", ")}`,
    });
  if (assignment.isolation === "worktree") {
    const worktree = await run.workspace.addWorktree(assignment.workDir, assignment.before);
    if (!worktree.ok) return endedWithoutProcess(assignment, worktree.problem);
  }
  const dir = ports.files.attemptDir(run.session, assignment.attempt);
  await run.chain.commit(() => ({
    events: [
      {
        type: "attempt:starting",
        data: {
          attempt: assignment.attempt,
          nonce,
          dir,
          fence: claim.fence,
          workDir: assignment.workDir,
          agentSession: launch.value.agentSession ?? null,
        },
      },
    ],
  }));
  const reader = provider.value.reader(task, reportedBefore(run, launch.value.agentSession));
  const lingered: Lingering = { value: false, over: new AbortController() };
  const env = agentEnvironment(ports.environment, launch.value, {
    attempt: assignment.attempt,
    session: run.session,
  });
  const guarded =
    container.value === undefined ? await guard(run, assignment.piece, dir, env) : ok({ env, binds: [] });
  if (!guarded.ok) return endedWithoutProcess(assignment, guarded.problem);
  const started = await ports.process.start({
    argv: launch.value.argv,
    cwd: assignment.workDir,
    env: { ...guarded.value.env, ...(sandbox !== undefined && { TMPDIR: ports.files.home }) },
    ...(sandbox !== undefined && { sandbox: { ...sandbox, binds: guarded.value.binds } }),
    ...(launch.value.stdin === undefined ? {} : { stdin: launch.value.stdin }),
    dir,
    nonce,
    wallMs: assignment.wallMs,
    idleMs: assignment.idleMs,
    graceMs: GRACE_MS,
    streamCapBytes: assignment.streamCapBytes,
    // In a namespace of its own a container's client writes down process ids that mean others outside.
    containment: container.value === undefined ? "strongest" : "group",
    onOutput: feeder(run, assignment, reader, lingered),
  });
  if (!started.ok) return endedWithoutProcess(assignment, started.problem);
  const outcome = await watch(run, assignment.attempt, started.value, {
    ...((sandbox ?? container.value) !== undefined && { sandboxed: true }),
    ...(container.value !== undefined && { container: container.value.image }),
  });
  // What started it may have been killed without it.
  if (container.value !== undefined) await ports.containers.remove(containerName(nonce));
  lingered.over.abort();
  const end = outcome.end.kind === "canceled" && lingered.value ? FINISHED : outcome.end;
  return reportOf(run, assignment, reader, { outcome: { ...outcome, end }, dir });
}

interface Lingering {
  value: boolean;
  readonly over: AbortController;
}

/** An agent that had given its final result and was stopped only because it would not leave. */
const FINISHED: ProcessEnd = { kind: "exited", exitCode: 0 };

export function taskOf(assignment: Assignment): ProviderTask {
  return {
    prompt: assignment.prompt,
    system: assignment.system,
    piece: assignment.piece,
    tier: assignment.tier,
    cwd: assignment.workDir,
    permission: assignment.permission,
    sessionId: assignment.agentSession,
    isolated: assignment.isolation === "worktree",
  };
}

/** What an agent session had reported in earlier attempts: current agents state cumulative totals. */
export function reportedBefore(
  run: SessionRun,
  agentSession: string | undefined,
): readonly ModelUsage[] | undefined {
  if (agentSession === undefined) return undefined;
  return run.state.attempts.findLast((attempt) => attempt.ended?.agentSession === agentSession)?.ended
    ?.cumulative;
}

function feeder(
  run: SessionRun,
  assignment: Assignment,
  reader: StreamReader,
  lingered: Lingering,
): (chunk: Uint8Array, stream: "stdout" | "stderr") => void {
  return (chunk, stream) => {
    for (const activity of reader.push(chunk, stream)) {
      if (activity.kind === "result") {
        stopWhenLingering(run, assignment.attempt, lingered);
        continue;
      }
      run.options.onProgress?.({
        kind: "activity",
        attempt: assignment.attempt,
        piece: assignment.piece,
        activity,
      });
    }
  };
}

/** Agents have been seen to hang for hours after their final result: they get a grace time, then they are stopped. */
function stopWhenLingering(run: SessionRun, attempt: AttemptId, lingered: Lingering): void {
  void run.ports.clock.sleep(RESULT_GRACE_MS, lingered.over.signal).then(() => {
    const process = run.processes.get(attempt);
    if (process === undefined || run.state.stopAsked !== undefined) return;
    lingered.value = true;
    process.stop("cancel");
  });
}

async function watch(
  run: SessionRun,
  attempt: AttemptId,
  process: RunningProcess,
  room: Pick<EventOf<"attempt:spawned">["data"], "sandboxed" | "container">,
): Promise<ProcessOutcome> {
  run.processes.set(attempt, process);
  try {
    await run.chain.commit(() => ({
      events: [
        {
          type: "attempt:spawned",
          data: {
            attempt,
            identity: process.identity,
            containment: process.containment,
            ...room,
          },
        },
      ],
    }));
    if (run.state.stopAsked?.how === "force") process.stop("force");
    return await process.outcome;
  } catch (error) {
    process.stop("force");
    await process.outcome;
    throw error;
  } finally {
    run.processes.delete(attempt);
  }
}

/** Re-reads the streams of a finished orphan, as if it had been watched. */
export async function drain(
  run: SessionRun,
  attempt: AttemptId,
  provider: Provider,
  exitCode: number,
): Promise<Result<AttemptEnded>> {
  const state = attemptOf(run.state, attempt);
  if (state?.dir === undefined) throw new InvariantError(`${attempt} has no trace folder`);
  const assignment = await readAssignment(run, {
    attempt,
    assignment: state.assignment as Claim["assignment"],
  });
  const reader = provider.reader(taskOf(assignment), reportedBefore(run, state.agentSession));
  for (const stream of ["stdout", "stderr"] as const) {
    for await (const chunk of run.ports.files.chunks(`${state.dir}/${stream}`)) reader.push(chunk, stream);
  }
  const startedMs = Date.parse(state.startedAt ?? state.dispatchedAt);
  const outcome: ProcessOutcome = {
    end: { kind: "exited", exitCode },
    durationMs: Math.max(0, Math.min(run.ports.clock.now() - startedMs, 60 * MINUTE_MS)),
    containment: "group",
    killedForcefully: false,
    survivorsKilled: 0,
    escaped: 0,
    stdoutBytes: 0,
    stderrBytes: 0,
    stdoutPath: `${state.dir}/stdout`,
    stderrPath: `${state.dir}/stderr`,
  };
  return { ok: true, value: await reportOf(run, assignment, reader, { outcome, dir: state.dir }) };
}
